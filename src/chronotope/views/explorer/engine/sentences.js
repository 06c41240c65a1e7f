// Sentences, if the folder was written with them: a sample for each word and condition.
"use strict";
{
  const { lib } = window.chronotope;
  const { model } = lib;
  const { labels, about, manifest } = model;

  async function decodeIndex(part) {
    const [sizes, sentence, start, length, documents] = await Promise.all(
      [part.sizes, part.sentence, part.start, part.length, part.documents].map((text) => lib.unpack(text)));
    const first = new Int32Array(sizes.length + 1);
    sizes.forEach((size, word) => (first[word + 1] = first[word] + size));
    return { first, sentence, start, length, documents, searched: part.searched };
  }

  /** @param {number} condition @param {any} index @param {number} place @param {string} [near] */
  async function sentence(condition, index, place, near) {
    const number = index.sentence[place];
    const size = manifest.sentences_in_a_part;
    const [text, document, date, cut] = (await lib.load(`sentences-${condition}-${Math.floor(number / size)}`))[number % size];
    const where = about.conditions[condition].place;
    const [near_start, near_end] = (near && find(text, near)) || [null, null];
    return {
      condition: labels[condition], date, place: where === null ? null : about.places[where], document, text,
      start: index.start[place], end: index.start[place] + index.length[place], near_start, near_end, distance_words: null,
      cut_before: Boolean(cut & 1), cut_after: Boolean(cut & 2),
    };
  }

  /** Return where a word stands in a text, in characters as Python counts them. @param {string} text @param {string} word */
  function find(text, word) {
    const letters = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[_\s]+/g, "[\\s_]+");
    const found = new RegExp(`(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`, "iu").exec(text);
    if (!found) return null;
    const start = [...text.slice(0, found.index)].length;
    return [start, start + [...found[0]].length];
  }

  async function evidence({ word, at, near, top, signal }) {
    const id = model.wordId(word);
    /** @type {number[]} */
    const chosen = model.named(at ?? "all");
    await model.need(chosen, signal);
    const perCondition = [];
    let [documents, searched, tokens] = [0, 0, 0];
    for (const condition of chosen) {
      const index = await lib.load(`index-${condition}`, decodeIndex);
      documents += index.documents[id];
      [searched, tokens] = [searched + index.searched[0], tokens + index.searched[1]];
      const found = [];
      for (let place = index.first[id]; place < index.first[id + 1]; place++) {
        const row = await sentence(condition, index, place, near);
        if (!near || row.near_start !== null) found.push(row);
      }
      perCondition.push(found);
      await lib.pause(signal);
    }
    const most = Math.max(1, Math.ceil(top / perCondition.length));
    const rows = perCondition.flatMap((found) => found.slice(0, most)).slice(0, top);
    const occurrences = chosen.reduce((sum, one) => sum + model.count(id, one), 0);
    const share = tokens ? searched / tokens : 1;
    const facts = { axis: about.axis, word, at: at ?? null, near: near ?? null, occurrences, documents, sampled: true, share };
    const notes = [
      `${word} occurs ${model.numberOf(occurrences, "times")} in ${model.numberOf(documents, "documents")}.`,
      `This folder holds at most ${model.numberOf(about.sample ?? 0, "sentences")} of a word in each condition, from ${(100 * share).toFixed(1)} % of the text.`,
    ];
    return { rows, title: `Sentences with ${word}${near ? ` near ${near}` : ""}`, notes, facts, signature: model.signature };
  }

  lib.sentences = { evidence };
}
