// The nearest words: by cosine, or by CSLS, which discounts words that are near everything (see retrieval.py).
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const model = lib.model;
  const NEIGHBORHOOD = 10;
  const POOL = 10000;
  const AT_FIRST = 32;
  const LANDMARKS = 8;
  const KEPT = 64; // how many pairs of conditions keep their r

  // The cosines of a vector of length one with some rows of a condition.
  function cosines(query, condition, rows) {
    const { vectors, inverse } = condition;
    const size = model.dimensions;
    const found = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at];
      let sum = 0;
      for (let d = 0, place = row * size; d < size; d++, place++) sum += query[d] * vectors[place];
      found[at] = sum * inverse[row];
    }
    return found;
  }

  // The places of the largest values, the largest first; equal ones in their order.
  function largest(values, count) {
    const heap = []; // the smallest of the best so far is the last
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      if (heap.length === count && !(value > values[heap[count - 1]])) continue;
      if (heap.length === count) heap.pop();
      let place = heap.length;
      while (place > 0 && values[heap[place - 1]] < value) place--;
      heap.splice(place, 0, at);
    }
    return heap;
  }

  // The reference words of a condition: the most frequent with enough support.
  const pools = new Map();
  function pool(number, least) {
    const key = `${number} ${least}`;
    if (!pools.has(key)) {
      let rows = model.enough(number, least);
      if (rows.length > POOL) {
        const { support } = model.condition(number);
        rows = Array.from(rows).sort((a, b) => support[b] - support[a] || a - b).slice(0, POOL).sort((a, b) => a - b);
        rows = Int32Array.from(rows);
      }
      pools.set(key, rows);
    }
    return pools.get(key);
  }

  function rowUnit(condition, row) {
    const vector = new Float64Array(model.dimensions);
    for (let d = 0, at = row * model.dimensions; d < vector.length; d++, at++) {
      vector[d] = condition.vectors[at] * condition.inverse[row];
    }
    return vector;
  }

  // The mean cosine of a vector with its ten nearest of a pool (never the word itself), and the sum of those ten.
  function neighborhood(query, number, least, ownWord) {
    const condition = model.condition(number);
    const rows = pool(number, least);
    const found = cosines(query, condition, rows);
    const near = largest(found, NEIGHBORHOOD + (ownWord >= 0 ? 1 : 0))
      .filter((at) => condition.word[rows[at]] !== ownWord)
      .slice(0, NEIGHBORHOOD);
    const around = new Float64Array(model.dimensions);
    let total = 0;
    for (const at of near) {
      total += found[at];
      rowUnit(condition, rows[at]).forEach((value, d) => (around[d] += value));
    }
    return { r: near.length ? total / near.length : 0, around: near.length === NEIGHBORHOOD ? around : null };
  }

  // r of the candidates of one condition as seen from another; NaN where it is not measured.
  const known = new Map();
  function measured(source, target, least, size) {
    const key = `${source} ${target} ${least}`;
    const values = known.get(key) || new Float32Array(size).fill(NaN);
    known.delete(key);
    known.set(key, values);
    if (known.size > KEPT) known.delete(known.keys().next().value);
    return values;
  }

  function match(condition, row, score, cosine) {
    return { word: model.words[condition.word[row]], score, similarity: cosine, count: condition.support[row] };
  }

  function byCosine(query, target, top, least) {
    const condition = model.condition(target);
    const rows = model.enough(target, least);
    const found = cosines(query, condition, rows);
    return largest(found, top).map((at) => match(condition, rows[at], found[at], found[at]));
  }

  // A candidate's r is never below its mean cosine with any ten words of the pool; so it is measured only for those
  // that could still be among the best.
  function byCsls(query, source, target, top, least, ownWord) {
    const condition = model.condition(target);
    const rows = model.enough(target, least);
    const found = cosines(query, condition, rows);
    const same = source === target;
    const queryR = neighborhood(query, target, least, same ? ownWord : -1).r;
    const exact = measured(source, target, least, rows.length);
    const bound = new Float64Array(rows.length);
    let open = [];
    const best = []; // places, by cosine − r / 2
    const value = (at) => found[at] - exact[at] / 2;
    const keep = (at) => {
      let place = best.length;
      while (place > 0 && value(best[place - 1]) < value(at)) place--;
      best.splice(place, 0, at);
      if (best.length > top) best.pop();
    };
    for (let at = 0; at < rows.length; at++) {
      if (!Number.isNaN(exact[at])) keep(at);
      else open.push(at);
      bound[at] = found[at] + 1;
    }
    const lower = (around) => {
      const cut = best.length === top ? value(best[top - 1]) : -Infinity;
      open = open.filter((at) => bound[at] >= cut);
      const floor = cosines(around, condition, open.map((at) => rows[at]));
      open.forEach((at, place) => {
        const mean = (floor[place] - (same ? 1 : 0)) / NEIGHBORHOOD;
        bound[at] = Math.min(bound[at], found[at] - mean / 2);
      });
    };
    const first = neighborhood(query, source, least, -1).around;
    if (first) lower(first);
    for (let size = AT_FIRST; open.length; size *= 2) {
      const cut = best.length === top ? value(best[top - 1]) : -Infinity;
      open = open.filter((at) => bound[at] >= cut);
      const chosen = largest(open.map((at) => bound[at]), size).map((place) => open[place]);
      const gone = new Set(chosen);
      const landmarks = [];
      for (const at of chosen) {
        const row = rows[at];
        const found = neighborhood(rowUnit(condition, row), source, least, same ? condition.word[row] : -1);
        exact[at] = found.r;
        if (found.around && landmarks.length < LANDMARKS) landmarks.push(found.around);
        keep(at);
      }
      open = open.filter((at) => !gone.has(at));
      landmarks.forEach(lower);
    }
    return best.map((at) => match(condition, rows[at], 2 * found[at] - queryR - exact[at], found[at]));
  }

  function neighbors(word, number, top, least, retrieval = "similarity") {
    const query = model.unit(word, number);
    const found =
      retrieval === "csls"
        ? byCsls(query, number, number, top + 1, least, word)
        : byCosine(query, number, top + 1, least);
    return found.filter((one) => one.word !== model.words[word]).slice(0, top);
  }

  function equivalents(word, at, to, top, least, retrieval = "csls") {
    const query = model.unit(word, at);
    return retrieval === "csls" ? byCsls(query, at, to, top, least, word) : byCosine(query, to, top, least);
  }

  lib.search = { neighbors, equivalents };
})(window.chronotope);
