// The nearest words: by cosine, or by CSLS, which penalizes hubs (see retrieval.py).
"use strict";

/** @typedef {{id: number, word: string, score: number, similarity: number, count: number, documents: number | null}} Match */
{
  const { lib } = window.chronotope;
  const { model } = lib;
  const NEIGHBORHOOD = 10;
  const POOL = 10000;
  const AT_FIRST = 32;
  const LANDMARKS = 8;
  const KEPT = 64; // pairs of conditions whose r is kept

  /** Return the cosines of a unit vector with rows of a condition. @param {Float64Array} query @param {Words} condition @param {ArrayLike<number>} rows */
  function cosines(query, condition, rows) {
    const { vectors, inverse } = condition;
    const size = model.dimensions;
    const found = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at++) {
      let sum = 0;
      for (let d = 0, place = rows[at] * size; d < size; d++, place++) sum += query[d] * vectors[place];
      found[at] = sum * inverse[rows[at]];
    }
    return found;
  }

  /** Return the places of the largest values, best first; ties: the first wins. @param {ArrayLike<number>} values @param {number} count */
  function largest(values, count) {
    /** @type {number[]} */
    const best = [];
    for (let at = 0; at < values.length; at++) {
      if (best.length === count && !(values[at] > values[best[count - 1]])) continue;
      if (best.length === count) best.pop();
      insert(best, at, (place) => values[place]);
    }
    return best;
  }

  /** Insert into a list that is sorted by value, the largest first. @param {number[]} sorted @param {number} item @param {(item: number) => number} value */
  function insert(sorted, item, value) {
    let place = sorted.length;
    while (place > 0 && value(sorted[place - 1]) < value(item)) place--;
    sorted.splice(place, 0, item);
  }

  /** @type {Map<string, Int32Array>} */
  const pools = new Map();
  /** Return the rows of the reference words: the most frequent of those that occur often enough. @param {number} number @param {number} least */
  function pool(number, least) {
    const key = `${number} ${least}`;
    let rows = pools.get(key);
    if (!rows) {
      const { count } = model.condition(number);
      rows = /** @type {Int32Array} */ (model.enough(number, least));
      if (rows.length > POOL) rows = rows.slice().sort((a, b) => count[b] - count[a] || a - b).slice(0, POOL).sort();
      pools.set(key, rows);
    }
    return rows;
  }

  /** @param {Words} condition @param {number} row */
  function rowUnit({ vectors, inverse }, row) {
    return Float64Array.from({ length: model.dimensions }, (_, d) => vectors[row * model.dimensions + d] * inverse[row]);
  }

  /**
   * A role map from the words of a condition to another (see mapping.py). Instead of mapping all words, a vector of the
   * other condition is mapped back; `seen` is the condition with the lengths of its mapped words.
   * @typedef {{forward: (v: Float64Array) => Float64Array, back: (v: Float64Array) => Float64Array, seen: Words}} Role
   */
  /** @param {number} source @param {number} target @returns {Promise<Role | null>} */
  async function role(source, target) {
    const part = (await lib.load(`roles-${source}`))[target];
    if (!part) return null;
    const size = model.dimensions;
    part.matrix ||= Float64Array.from(await lib.unpack(part.rows, Int8Array), (value, at) =>
      value * part.scales[Math.floor(at / size)] + (at % (size + 1) ? 0 : 1));
    const { matrix } = part;
    const condition = model.condition(source);
    part.moved ||= await lib.unpack(part.lengths, Int16Array);
    const inverse = condition.inverse.map((value, row) => (part.moved[row] ? value / (part.moved[row] * part.scale) : 0));
    const turned = (vector, at) => vector.map((_, one) => vector.reduce((sum, value, other) => sum + value * matrix[at(one, other)], 0));
    return {
      forward: (vector) => turned(vector, (to, from) => from * size + to),
      back: (vector) => turned(vector, (from, to) => from * size + to),
      seen: { ...condition, inverse },
    };
  }

  /**
   * Return r, the mean cosine of a vector with its ten nearest words of the pool without its own, their sum, and the first.
   * @param {Float64Array} query @param {number} number @param {number} least @param {number} own @param {Role | null} [moved]
   */
  function neighborhood(query, number, least, own, moved = null) {
    const condition = moved ? moved.seen : model.condition(number);
    const rows = pool(number, least);
    const found = cosines(moved ? moved.back(query) : query, condition, rows);
    const near = largest(found, NEIGHBORHOOD + (own >= 0 ? 1 : 0))
      .filter((at) => condition.word[rows[at]] !== own)
      .slice(0, NEIGHBORHOOD);
    const r = near.reduce((sum, at) => sum + found[at], 0) / Math.max(near.length, 1);
    const sum = near.length === NEIGHBORHOOD ? model.total(near.map((at) => rowUnit(condition, rows[at]))) : null;
    return { r, around: sum && moved ? moved.forward(sum) : sum, first: near.length ? found[near[0]] : null };
  }

  /** @type {Map<string, Float32Array>} */
  const known = new Map();
  /** Return r of the candidates of a condition as seen from another; NaN if not measured. @param {string} key @param {number} size */
  function measured(key, size) {
    const values = known.get(key) || new Float32Array(size).fill(NaN);
    known.delete(key);
    known.set(key, values);
    if (known.size > KEPT) known.delete([...known.keys()][0]);
    return values;
  }

  /** @param {Words} condition @param {number} row @param {number} score @param {number} similarity @returns {Match} */
  function match(condition, row, score, similarity) {
    const id = condition.word[row];
    return { id, word: model.words[id], score, similarity, count: condition.count[row], documents: condition.documents[row] || null };
  }

  /** @param {Float64Array} query @param {number} target @param {number} top @param {number} least */
  function byCosine(query, target, top, least) {
    const condition = model.condition(target);
    const rows = model.enough(target, least);
    const found = cosines(query, condition, rows);
    return largest(found, top).map((at) => match(condition, rows[at], found[at], found[at]));
  }

  /**
   * A candidate's r is at least its mean cosine with any ten words of the pool; so r is measured only for candidates
   * that could still be among the best.
   * @param {Float64Array} query @param {number} source @param {number} target @param {number} top @param {number} least @param {number} own
   * @param {Role | null} moved
   */
  function byCsls(query, source, target, top, least, own, moved) {
    const condition = model.condition(target);
    const rows = model.enough(target, least);
    const found = cosines(query, condition, rows);
    const same = source === target;
    const queryR = neighborhood(query, target, least, same ? own : -1).r;
    const exact = measured(`${source} ${target} ${least} ${moved !== null}`, rows.length);
    const bound = found.map((value) => value + 1);
    /** @type {number[]} places, by cosine − r / 2 */
    const best = [];
    const value = (at) => found[at] - exact[at] / 2;
    const keep = (at) => {
      insert(best, at, value);
      if (best.length > top) best.pop();
    };
    let open = [...rows.keys()].filter((at) => Number.isNaN(exact[at]));
    [...rows.keys()].filter((at) => !Number.isNaN(exact[at])).forEach(keep);
    const narrow = () => {
      const cut = best.length === top ? value(best[top - 1]) : -Infinity;
      open = open.filter((at) => bound[at] >= cut);
    };
    const lower = (around) => {
      narrow();
      const floor = cosines(around, condition, open.map((at) => rows[at]));
      open.forEach((at, place) => {
        const mean = (floor[place] - (same ? 1 : 0)) / NEIGHBORHOOD;
        bound[at] = Math.min(bound[at], found[at] - mean / 2);
      });
    };
    const first = neighborhood(query, source, least, -1, moved).around;
    if (first) lower(first);
    for (let size = AT_FIRST; open.length; size *= 2) {
      narrow();
      const chosen = largest(open.map((at) => bound[at]), size).map((place) => open[place]);
      const landmarks = [];
      for (const at of chosen) {
        const { r, around } = neighborhood(rowUnit(condition, rows[at]), source, least, same ? condition.word[rows[at]] : -1, moved);
        exact[at] = r;
        if (around && landmarks.length < LANDMARKS) landmarks.push(around);
        keep(at);
      }
      const gone = new Set(chosen);
      open = open.filter((at) => !gone.has(at));
      landmarks.forEach(lower);
    }
    return best.map((at) => match(condition, rows[at], 2 * found[at] - queryR - exact[at], found[at]));
  }

  /** Return the unit vector of a word, moved by a role map if there is one. @param {number} word @param {number} at @param {Role | null} moved */
  const queryOf = (word, at, moved) => (moved ? model.normalized(moved.forward(model.unit(word, at))) : model.unit(word, at));

  /**
   * Return the words of a condition nearest to a word of another; the word itself may be one.
   * @param {number} word @param {number} at @param {number} to @param {number} top @param {number} least @param {string} retrieval
   * @param {Role | null} [moved]
   * @returns {Match[]}
   */
  function equivalents(word, at, to, top, least, retrieval, moved = null) {
    const query = queryOf(word, at, moved);
    return retrieval === "csls" ? byCsls(query, at, to, top, least, word, moved) : byCosine(query, to, top, least);
  }

  /**
   * Return the mean similarity of the rivals of a word and each candidate (see counterparts.py).
   * @param {number} word @param {Match[]} found @param {number} at @param {number} to @param {number} least @param {Role | null} moved
   */
  function rivals(word, found, at, to, least, moved) {
    const own = neighborhood(model.unit(word, at), at, least, word).first ?? 0;
    return found.map((match) => {
      const there = neighborhood(model.unit(match.id, to), at, least, -1, moved).first;
      return (own + Math.max(there ?? -1, match.similarity)) / 2;
    });
  }

  /** @param {number} word @param {number} at @param {number} top @param {number} least @param {string} retrieval */
  function neighbors(word, at, top, least, retrieval) {
    return equivalents(word, at, at, top + 1, least, retrieval).filter((one) => one.id !== word).slice(0, top);
  }

  lib.search = { neighbors, equivalents, byCosine, rivals, role };
}
