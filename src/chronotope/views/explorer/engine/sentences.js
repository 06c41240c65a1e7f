// Sentences, where the folder was written with them: a sample for each word and condition.
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const { model } = lib;
  const { labels, about } = model;
  const IN_A_PART = 256;
  const MOST = 50;

  function decodeIndex(part) {
    const sizes = lib.counted(part.sizes, model.words.length);
    const first = new Int32Array(sizes.length + 1);
    sizes.forEach((size, word) => (first[word + 1] = first[word] + size));
    const total = first[sizes.length];
    const [sentence, start, length] = [part.sentence, part.start, part.length].map((text) => lib.counted(text, total));
    return { first, sentence, start, length, documents: lib.counted(part.documents, model.words.length) };
  }

  async function example(condition, index, place) {
    const number = index.sentence[place];
    const rows = await lib.load(`sentences-${condition}-${Math.floor(number / IN_A_PART)}`);
    const [text, document, date, cut] = rows[number % IN_A_PART];
    const where = about.conditions[condition].place;
    return {
      condition: labels[condition], document, date, place: where === null ? null : about.places[where], text,
      cut_before: Boolean(cut & 1), cut_after: Boolean(cut & 2),
      start: index.start[place], end: index.start[place] + index.length[place], near: null, distance: null,
    };
  }

  // Where another word stands in a sentence, in characters as Python counts them.
  function standsAt(text, word) {
    const letters = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[_\s]+/g, "[\\s_]+");
    const found = new RegExp(`(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`, "iu").exec(text);
    if (!found) return null;
    const start = [...text.slice(0, found.index)].length;
    return [start, start + [...found[0]].length];
  }

  async function evidence({ word, at, near, offset, limit }) {
    if (!about.available.text) model.fail("unavailable", about.missing.text);
    const number = model.wordNumber(word);
    const chosen = model.among(at);
    await model.needAll(chosen);
    const perCondition = [];
    let documents = 0;
    for (const condition of chosen) {
      const index = await lib.load(`index-${condition}`, decodeIndex);
      documents += index.documents[number];
      const found = [];
      for (let place = index.first[number]; place < index.first[number + 1]; place++) {
        const one = await example(condition, index, place);
        if (near) one.near = standsAt(one.text, near);
        if (!near || one.near) found.push(one);
      }
      perCondition.push(found);
    }
    const most = Math.max(1, Math.ceil(MOST / perCondition.length));
    const all = perCondition.flatMap((found) => found.slice(0, most)).slice(0, MOST);
    return {
      word, near: near || null, conditions: chosen.map((one) => labels[one]),
      occurrences: chosen.reduce((sum, one) => sum + model.support(number, one), 0), documents,
      together: near ? all.length : null, searched: null, with_both: null, within: null,
      examples: all.slice(offset, offset + limit), pulls: [],
      page: { offset, limit, total: all.length },
    };
  }

  lib.sentences = { evidence };
})(window.chronotope);
