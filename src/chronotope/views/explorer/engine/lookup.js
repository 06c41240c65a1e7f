// The search for words by their letters (see explored.py).
"use strict";
{
  const { lib } = window.chronotope;
  const { manifest, words } = lib.model;
  /** @type {number[]} */
  const order = [...words.keys()].sort((a, b) => manifest.counts[b] - manifest.counts[a] || a - b);
  const folded = order.map((id) => words[id].toLowerCase());
  /** @param {number} id @returns {FoundWord} */
  const row = (id) => ({ word: words[id], count: manifest.counts[id], conditions: manifest.present[id] });

  /** @param {string} query @param {number} limit @returns {Lookup} */
  function find(query, limit) {
    const letters = query.trim().toLowerCase();
    /** @type {number[][]} */
    const [exact, first, inside] = [[], [], []];
    folded.forEach((word, place) => {
      const at = word.indexOf(letters);
      if (at >= 0) (word === letters ? exact : at === 0 ? first : inside).push(order[place]);
    });
    const found = [...exact, ...first, ...inside];
    const matches = found.slice(0, limit).map(row);
    return { query, total: found.length, matches, did_you_mean: found.length ? [] : alike(query) };
  }

  /** Return words that differ in few letters, the nearest first. @param {string} word */
  function alike(word) {
    const letters = word.trim().toLowerCase();
    const most = Math.max(1, Math.floor(letters.length * 0.35));
    /** @type {number[][]} */
    const near = [];
    folded.forEach((other, place) => {
      if (Math.abs(other.length - letters.length) > 2) return;
      const differing = distance(letters, other, most);
      if (differing <= most) near.push([differing, place]);
    });
    near.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return near.slice(0, 5).map(([, place]) => row(order[place]));
  }

  /** Return the edit distance of two words, or more than `most`. @param {string} a @param {string} b @param {number} most */
  function distance(a, b, most) {
    let before = Array.from({ length: b.length + 1 }, (_, place) => place);
    for (let i = 1; i <= a.length; i++) {
      const now = [i];
      for (let j = 1; j <= b.length; j++) {
        now.push(Math.min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
      }
      if (Math.min(...now) > most) return most + 1;
      before = now;
    }
    return before[b.length];
  }

  lib.lookup = { find, alike };
}
