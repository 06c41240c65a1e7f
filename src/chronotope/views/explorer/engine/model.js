// The model as the browser holds it: words, conditions, and a vector for each word in each condition.
"use strict";

/**
 * The words of a condition: their ids, their rows by id (-1: absent), counts, documents, vectors, 1 / length of each.
 * @typedef {{size: number, word: Int32Array, row: Int32Array, count: Int32Array, documents: Int32Array,
 *   vectors: Int8Array | Float32Array, inverse: Float64Array, enough: Map<number, Int32Array>}} Words
 */
{
  const { chronotope } = window;
  const { lib } = chronotope;
  const manifest = lib.take("manifest");
  /** @type {About} */
  const about = manifest.about;
  /** @type {string[]} */
  const words = manifest.words;
  const labels = about.conditions.map((condition) => condition.label);
  const ids = new Map(words.map((word, id) => [word, id]));
  const byLabel = new Map(labels.map((label, number) => [label.toLowerCase(), number]));
  const dimensions = about.dimensions;
  const OVERALL = labels.length; // in place of a condition: all together
  /** @type {Words[]} */
  const loaded = [];
  let common = null;

  /** @param {string} kind @param {string} message @param {string[]} [didYouMean] @returns {never} */
  function fail(kind, message, didYouMean = []) {
    const status = /** @type {Record<string, number>} */ ({ unknown_word: 404, unknown_condition: 404, unavailable: 409 });
    throw new chronotope.AnswerError(kind, message, status[kind] || 422, didYouMean);
  }

  /** @param {Int32Array} word @param {Int32Array} count @param {Int32Array} documents @param {Int8Array | Float32Array} vectors @returns {Words} */
  function table(word, count, documents, vectors) {
    const row = new Int32Array(words.length).fill(-1);
    const inverse = new Float64Array(word.length);
    for (let at = 0, place = 0; at < word.length; at++) {
      row[word[at]] = at;
      let square = 0;
      for (let d = 0; d < dimensions; d++, place++) square += vectors[place] * vectors[place];
      inverse[at] = square ? 1 / Math.sqrt(square) : 0;
    }
    return { size: word.length, word, row, count, documents, vectors, inverse, enough: new Map() };
  }

  async function decodeCondition(part) {
    const [word, count, documents] = await Promise.all([part.word, part.count, part.documents].map((one) => lib.unpack(one)));
    return table(word, count, documents, await lib.unpack(part.vectors, Int8Array));
  }

  /** Write the vector of a word estimated from its other conditions. @param {number} word @param {number} number @param {Float32Array | Float64Array} into @param {number} at */
  function writeCommon(word, number, into, at) {
    const [scale, factors, center] = [common.scales[word], common.factors[number], common.center[number]];
    for (let d = 0, from = word * dimensions; d < dimensions; d++, from++) {
      into[at + d] = common.vectors[from] * scale * factors[d] - center[d];
    }
  }

  function overallTable() {
    const present = Int32Array.from(words.keys()).filter((word) => manifest.counts[word] > 0);
    const vectors = new Float32Array(present.length * dimensions);
    present.forEach((word, row) => writeCommon(word, OVERALL, vectors, row * dimensions));
    const [count, documents] = [manifest.counts, manifest.documents].map((all) => Int32Array.from(present, (word) => all[word]));
    return table(present, count, documents, vectors);
  }

  /** Load conditions; a few at a time, so that the page can paint. @param {number[]} chosen @param {AbortSignal} [signal] */
  async function need(chosen, signal) {
    if (chosen.includes(OVERALL)) await needCommon();
    const waiting = chosen.filter((number) => !loaded[number]);
    const next = async () => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
        loaded[number] =
          number === OVERALL ? overallTable() : await lib.load(`condition-${number}`, decodeCondition);
        await lib.pause(signal);
      }
    };
    await Promise.all([next(), next(), next(), next()]);
  }

  async function needCommon() {
    common ||= await lib.load("common", async (part) => ({ ...part, vectors: await lib.unpack(part.vectors, Int16Array) }));
  }

  /** Return the unit vector of a word in a loaded condition; if absent, from its other conditions. @param {number} word @param {number} number */
  function unit(word, number) {
    const { row, vectors, inverse } = loaded[number];
    const vector = new Float64Array(dimensions);
    const at = row[word];
    if (at < 0) {
      writeCommon(word, number, vector, 0);
      return normalized(vector);
    }
    for (let d = 0; d < dimensions; d++) vector[d] = vectors[at * dimensions + d] * inverse[at];
    return vector;
  }

  /** @param {Float64Array} vector */
  function normalized(vector) {
    const length = Math.sqrt(dot(vector, vector)) || 1;
    return vector.map((value) => value / length);
  }

  /** @param {Float64Array} a @param {Float64Array} b */
  function dot(a, b) {
    let sum = 0;
    for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
    return sum;
  }

  /** @param {Float64Array[]} rows */
  const total = (rows) => rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0));

  /** Whether two conditions share no text: neither lies within the other. @param {number} a @param {number} b */
  function apart(a, b) {
    const [one, other] = [`${labels[a]}/`, `${labels[b]}/`].map((label) => label.toLowerCase());
    return a !== b && !(about.levels > 1 && (one.startsWith(other) || other.startsWith(one)));
  }

  /** @param {number} word @param {number} number */
  function count(word, number) {
    return loaded[number].count[loaded[number].row[word]] ?? 0;
  }

  /** Return the number of documents of a condition with a word; null if it is not known. @param {number} word @param {number} number */
  function documents(word, number) {
    return loaded[number].documents[loaded[number].row[word]] || null;
  }

  /** Return the rows of a condition whose words occur often enough. @param {number} number @param {number} least */
  function enough(number, least) {
    const here = loaded[number];
    let rows = here.enough.get(least);
    if (!rows) here.enough.set(least, (rows = Int32Array.from(here.word.keys()).filter((row) => here.count[row] >= least)));
    return rows;
  }

  /** Return the id of a word, as typed or as `prepare` may have stored it. @param {string} word */
  function wordId(word) {
    const composed = word.replace(/’/g, "'").trim().split(/\s+/).join("_").normalize("NFC");
    const plain = composed.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "").normalize("NFC");
    for (const spelling of [word, composed, composed.toLowerCase(), plain]) {
      const id = ids.get(spelling);
      if (id !== undefined) return id;
    }
    /** @type {string[]} */
    const alike = lib.lookup.alike(word).map((found) => found.word);
    const hint = alike.length ? `; did you mean ${alike.slice(0, 3).join(", ")}?` : "";
    return fail("unknown_word", `'${word}' is not among the ${numberOf(words.length, "words")} of this model${hint}`, alike);
  }

  /** Return words as the model spells them, each once. @param {string[]} asked */
  const spelled = (asked) => [...new Set(asked.map((word) => words[wordId(word)]))];

  /** @param {string} label @param {string[]} known @param {string} what @returns {never} */
  function unknown(label, known = labels, what = "conditions") {
    return fail("unknown_condition", `'${label}' is not among the ${numberOf(known.length, what)}: ${someOf(known)}`, known);
  }

  /** @param {string} label */
  function conditionNumber(label) {
    return byLabel.get(label.trim().toLowerCase()) ?? unknown(label);
  }

  const all = () => labels.map((_, number) => number);

  /** Return the conditions in order of time; with time × place, those of one place. @param {string} [place] */
  function timeline(place) {
    if (!about.times.length) fail("bad_request", "the conditions of this model are places, which have no order in time");
    if (!about.places.length) {
      if (place) fail("bad_request", `the conditions of this model are time bins; there is no place '${place}'`);
      return all();
    }
    if (!place) fail("bad_request", `name one place (--place): ${someOf(about.places)}`);
    const wanted = about.places.findIndex((name) => name.toLowerCase() === place.trim().toLowerCase());
    if (wanted < 0) unknown(place, about.places, "places");
    return all().filter((number) => about.conditions[number].place === wanted);
  }

  /** Return the conditions of a name: a label, 'all', a time bin or a place. @param {string} at @param {string} [place] */
  function named(at, place) {
    const among = place ? timeline(place) : all();
    const wanted = at.trim().toLowerCase();
    if (wanted === "all") return among;
    if (about.times.length && about.places.length) {
      const names = [
        (number) => labels[number],
        (number) => about.times[Number(about.conditions[number].time)],
        (number) => about.places[Number(about.conditions[number].place)],
      ];
      for (const name of names) {
        const found = among.filter((number) => name(number).toLowerCase() === wanted);
        if (found.length) return found;
      }
      unknown(at, [...labels, ...about.times, ...about.places]);
    }
    return [conditionNumber(at)];
  }

  /** @param {number} many @param {string} things */
  function numberOf(many, things) {
    if (many !== 1) return `${many.toLocaleString("en-US")} ${things}`;
    return things === "times" ? "once" : `1 ${things.replace(/s\b/, "")}`;
  }

  /** @param {number} many */
  const fewerThan = (many) => (many === 1 ? "less than once" : `fewer than ${many.toLocaleString("en-US")} times`);

  /** @param {string[]} names */
  function someOf(names) {
    return names.length <= 12 ? names.join(", ") : `${names.slice(0, 4).join(", ")} … ${names.slice(-2).join(", ")}`;
  }

  /** Return a clause that says what to do if a word is too rare. @param {number} least */
  function whatHelps(least) {
    const ways = [...(least > 1 ? ["lower min_count (--min-count)"] : []), ...(about.times.length ? ["take longer time bins"] : [])];
    return ways.length ? `; ${ways.join(", or ")}` : "";
  }

  lib.model = {
    manifest, about, words, labels, dimensions, OVERALL, fail, need, needCommon, unit, normalized, dot, total, apart, count, documents, enough,
    wordId, spelled, conditionNumber, timeline, named, all, numberOf, fewerThan, someOf, whatHelps,
    condition: (number) => loaded[number],
    signature: about.signature,
  };
}
