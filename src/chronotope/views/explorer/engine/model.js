// The model as the browser holds it: words, conditions, and a vector for each word in each condition.
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const manifest = lib.taken("manifest");
  const about = manifest.about;
  const words = manifest.words;
  const labels = about.conditions.map((condition) => condition.label);
  const numbers = new Map(words.map((word, number) => [word, number]));
  const byLabel = new Map(labels.map((label, number) => [label.toLowerCase(), number]));
  const dimensions = about.dimensions;
  const conditions = []; // number → what is loaded of it
  let common = null;

  const fail = (kind, message, didYouMean = []) => {
    const status = { unknown_word: 404, unknown_condition: 404, unavailable: 409 }[kind] || 422;
    throw new chronotope.AnswerError(kind, message, status, didYouMean);
  };

  function decodeCondition(part) {
    const gaps = lib.counted(part.word, part.size);
    const row = new Int32Array(words.length).fill(-1);
    const word = new Int32Array(part.size);
    for (let at = 0, next = 0; at < part.size; at++) {
      next += gaps[at];
      word[at] = next;
      row[next++] = at;
    }
    const vectors = lib.unpack(part.vectors, manifest.bits, part.size * dimensions);
    const inverse = new Float64Array(part.size); // 1 / length
    for (let at = 0, place = 0; at < part.size; at++) {
      let square = 0;
      for (let d = 0; d < dimensions; d++, place++) square += vectors[place] * vectors[place];
      inverse[at] = square ? 1 / Math.sqrt(square) : 0;
    }
    return { size: part.size, word, row, support: lib.counted(part.support, part.size), vectors, inverse, enough: new Map() };
  }

  function decodeCommon(part) {
    return { ...part, vectors: lib.unpack(part.vectors, manifest.common_bits, words.length * dimensions) };
  }

  async function need(number) {
    if (!conditions[number]) conditions[number] = await lib.load(`condition-${number}`, decodeCondition);
    return conditions[number];
  }

  async function needAll(chosen) {
    // A few at a time: a browser that is asked for everything at once shows nothing meanwhile.
    const waiting = [...chosen];
    const next = async () => {
      while (waiting.length) {
        await need(waiting.shift());
        await lib.breathe();
      }
    };
    await Promise.all([next(), next(), next(), next()]);
  }

  async function needCommon() {
    if (!common) common = await lib.load("common", decodeCommon);
  }

  // The vector of a word in a condition that is loaded, of length one; where it is absent, what it means elsewhere.
  function unit(word, number) {
    const condition = conditions[number];
    const row = condition.row[word];
    const vector = new Float64Array(dimensions);
    if (row >= 0) {
      const inverse = condition.inverse[row];
      for (let d = 0, at = row * dimensions; d < dimensions; d++, at++) vector[d] = condition.vectors[at] * inverse;
      return vector;
    }
    const scale = common.scales[word];
    for (let d = 0, at = word * dimensions; d < dimensions; d++, at++) {
      vector[d] = common.vectors[at] * scale * common.factors[number][d] - common.center[number][d];
    }
    return normalized(vector);
  }

  function normalized(vector) {
    const length = Math.sqrt(dot(vector, vector)) || 1;
    return vector.map((value) => value / length);
  }

  function dot(a, b) {
    let sum = 0;
    for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
    return sum;
  }

  const support = (word, number) => {
    const row = conditions[number].row[word];
    return row < 0 ? 0 : conditions[number].support[row];
  };

  // The rows of a condition whose words occur often enough.
  function enough(number, least) {
    const condition = conditions[number];
    if (!condition.enough.has(least)) {
      const rows = [];
      for (let row = 0; row < condition.size; row++) if (condition.support[row] >= least) rows.push(row);
      condition.enough.set(least, Int32Array.from(rows));
    }
    return condition.enough.get(least);
  }

  function wordNumber(word) {
    if (numbers.has(word)) return numbers.get(word);
    const alike = lib.lookup.alike(word).map((found) => found.word);
    const proposed = alike.length ? `; did you mean ${alike.slice(0, 3).join(", ")}?` : "";
    const count = words.length.toLocaleString("en-US");
    return fail("unknown_word", `'${word}' is not among the ${count} words of this model${proposed}`, alike);
  }

  function conditionNumber(label) {
    const number = byLabel.get(String(label).trim().toLowerCase());
    return number === undefined ? unknownCondition(label) : number;
  }

  function unknownCondition(label) {
    const shown = labels.length <= 12 ? labels.join(", ") : `${labels.slice(0, 4).join(", ")} … ${labels.slice(-2).join(", ")}`;
    return fail("unknown_condition", `'${label}' is not among the ${labels.length} condition${labels.length === 1 ? "" : "s"}: ${shown}`);
  }

  // The conditions that a label means: one, all of a time bin or of a place, or all.
  function among(at) {
    const all = labels.map((_, number) => number);
    if (at === undefined || at === null) return all;
    const wanted = String(at).trim().toLowerCase();
    if (byLabel.has(wanted)) return [byLabel.get(wanted)];
    for (const axis of ["time", "place"]) {
      const position = about[`${axis}s`].findIndex((name) => name.toLowerCase() === wanted);
      if (position >= 0) return all.filter((number) => about.conditions[number][axis] === position);
    }
    return unknownCondition(at);
  }

  // The conditions in order of time; where there are places, too, those of one place.
  function timeline(place) {
    if (!about.times.length) fail("bad_request", "the conditions of this model are places, which have no order in time");
    if (!about.places.length) {
      if (place) fail("bad_request", `the conditions of this model are time bins; there is no place '${place}'`);
      return among();
    }
    if (!place) fail("bad_request", `name the place whose time line is meant: ${about.places.slice(0, 8).join(", ")}`);
    const wanted = about.places.findIndex((name) => name.toLowerCase() === place.trim().toLowerCase());
    if (wanted < 0) unknownCondition(place);
    return among().filter((number) => about.conditions[number].place === wanted);
  }

  // A word's own vectors where it occurs often enough, among conditions that are loaded.
  function own(word, least, chosen, fewest = 1) {
    const kept = chosen.filter((number) => support(word, number) >= least);
    if (kept.length < fewest) {
      const where = kept.length ? `in ${kept.length} of the conditions` : "in no condition";
      fail("too_rare", `'${words[word]}' occurs ${least} times or more ${where}; this needs ${fewest}`);
    }
    return { conditions: kept, unit: kept.map((number) => unit(word, number)) };
  }

  lib.model = {
    manifest, about, words, labels, dimensions, fail, need, needAll, needCommon, unit, normalized, dot, support, enough,
    wordNumber, conditionNumber, among, timeline, own,
    condition: (number) => conditions[number],
    signature: about.signature,
  };
})(window.chronotope);
