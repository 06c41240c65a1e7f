// Finding a word by its letters (see lookup.py).
"use strict";

(function (chronotope) {
  const { manifest, words } = chronotope.lib.model;
  const order = words.map((_, number) => number).sort((a, b) => manifest.counts[b] - manifest.counts[a] || a - b);
  const folded = order.map((number) => words[number].toLowerCase());
  const row = (number) => ({ word: words[number], count: manifest.counts[number], conditions: manifest.present[number] });

  function find(query, limit) {
    const letters = query.trim().toLowerCase();
    const [exact, first, inside] = [[], [], []];
    folded.forEach((word, place) => {
      const at = word.indexOf(letters);
      if (at >= 0) (word === letters ? exact : at === 0 ? first : inside).push(order[place]);
    });
    const found = [...exact, ...first, ...inside];
    return { query, total: found.length, matches: found.slice(0, limit).map(row), did_you_mean: found.length ? [] : alike(query) };
  }

  // The words that are written much like one that is not there: few letters differ.
  function alike(word) {
    const letters = word.trim().toLowerCase();
    const most = Math.max(1, Math.floor(letters.length * 0.35));
    const near = [];
    folded.forEach((other, place) => {
      if (Math.abs(other.length - letters.length) > 2) return;
      const differing = distance(letters, other, most);
      if (differing <= most) near.push([differing, place]);
    });
    near.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return near.slice(0, 5).map(([, place]) => row(order[place]));
  }

  // How many letters must be changed, added or left out; given up beyond `most`.
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

  chronotope.lib.lookup = { find, alike };
})(window.chronotope);
