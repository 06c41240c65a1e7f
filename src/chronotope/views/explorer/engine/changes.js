// When a word changed, and who joined and left it there (see changepoints.py, mean_shift.py, movers.py).
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const { model, search, random } = lib;
  const { labels, dot, signature } = model;
  const LEAST = 2;
  const REFERENCES = 200;
  const FEWEST_REFERENCES = 19;
  const SHORTEST_FOR_P = 8;
  const ECHO = 0.25;
  const NEAR = 10;
  const REACH = 5;
  const PERMUTATIONS = 999;
  const LEVEL = 0.05;

  // Where a series of vectors shifts most, and how much: √(n₁ n₂ / n) times the distance of the two means.
  function largestShift(rows) {
    const [length, size] = [rows.length, rows[0].length];
    const mean = new Float64Array(size);
    for (const row of rows) for (let d = 0; d < size; d++) mean[d] += row[d] / length;
    const before = new Float64Array(size);
    let best = { split: LEAST, square: -1 };
    for (let split = 1; split <= length - LEAST; split++) {
      let square = 0;
      const row = rows[split - 1];
      for (let d = 0; d < size; d++) {
        before[d] += row[d] - mean[d];
        square += before[d] * before[d];
      }
      square *= length / (split * (length - split));
      if (split >= LEAST && square > best.square) best = { split, square };
    }
    return { split: best.split, size: Math.sqrt(Math.max(best.square, 0)) };
  }

  // The same, with how often the series in random order shifts as much. The vectors enter through their inner products
  // alone, so that each may be shortened to as many numbers as there are vectors.
  function meanShift(rows) {
    if (rows.length < 2 * LEAST) return null;
    const found = largestShift(rows);
    const short = rows.length < rows[0].length ? shortened(rows) : rows;
    const draw = random.generator(rows.length);
    const order = short.map((_, place) => place);
    let reached = 0;
    for (let time = 0; time < PERMUTATIONS; time++) {
      random.shuffle(order, draw);
      if (largestShift(order.map((place) => short[place])).size >= found.size * (1 - 1e-9)) reached++;
    }
    return { ...found, p: (reached + 1) / (PERMUTATIONS + 1) };
  }

  // The coordinates of vectors along axes that they span themselves (Gram and Schmidt).
  function shortened(rows) {
    const axes = [];
    for (const row of rows) {
      let rest = row;
      for (let twice = 0; twice < 2; twice++) {
        for (const axis of axes) {
          const share = dot(rest, axis);
          rest = rest.map((value, d) => value - share * axis[d]);
        }
      }
      const length = Math.sqrt(dot(rest, rest));
      if (length > 1e-9) axes.push(rest.map((value) => value / length));
    }
    return rows.map((row) => Float64Array.from(axes, (axis) => dot(row, axis)));
  }

  function distance(before, after) {
    const mean = (rows) => rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0) / rows.length);
    const [old, now] = [mean(before), mean(after)];
    const length = Math.sqrt(dot(old, old) * dot(now, now));
    return length ? 1 - dot(old, now) / length : 0;
  }

  // The vectors of words about as frequent, with enough support in the same conditions.
  function likeWords(word, conditions, least) {
    const shared = [];
    const first = model.condition(conditions[0]);
    for (const row of model.enough(conditions[0], least)) {
      const other = first.word[row];
      let total = 0;
      const everywhere = conditions.every((one) => {
        const support = model.support(other, one);
        total += support;
        return support >= least;
      });
      if (everywhere) shared.push({ word: other, total });
    }
    shared.sort((a, b) => b.total - a.total || a.word - b.word);
    const mine = shared.findIndex((one) => one.word === word);
    return shared
      .map((one, rank) => ({ word: one.word, rank, distance: Math.abs(rank - mine) }))
      .sort((a, b) => a.distance - b.distance || a.rank - b.rank)
      .slice(1, REFERENCES + 1)
      .map((one) => conditions.map((condition) => model.unit(one.word, condition)));
  }

  function rarity(size, others, begin, end) {
    if (others.length < FEWEST_REFERENCES) return null;
    const reached = others.filter((rows) => largestShift(rows.slice(begin, end)).size >= size).length;
    return (1 + reached) / (1 + others.length);
  }

  function tried(rows, others) {
    const found = [];
    const stretches = [[0, rows.length]];
    let largest = 0;
    while (stretches.length) {
      const [begin, end] = stretches.shift();
      const shift = meanShift(rows.slice(begin, end));
      if (!shift) continue;
      const split = begin + shift.split;
      const p_words = rarity(shift.size, others, begin, end);
      const apart = distance(rows.slice(begin, split), rows.slice(split, end));
      const short = !found.length && rows.length < SHORTEST_FOR_P && p_words !== null;
      const good = (shift.p <= LEVEL || short) && (p_words === null || p_words <= LEVEL) && apart >= ECHO * largest;
      found.push({ split, p: shift.p, p_words, good });
      if (good) {
        largest = Math.max(largest, apart);
        stretches.push([begin, split], [split, end]);
      }
    }
    return found;
  }

  async function movers(word, before, after, top, least) {
    if (!top) return { joined: [], left: [] };
    await model.needCommon();
    const stretches = [before.slice(-REACH), after.slice(0, REACH)];
    const near = stretches.map((stretch) => {
      const names = stretch.flatMap((one) => search.neighbors(word, one, NEAR, least).map((match) => match.word));
      return new Set(names);
    });
    const everyone = [...new Set([...near[0], ...near[1]])].sort().map((name) => {
      const other = model.wordNumber(name);
      const [old, now] = stretches.map((stretch) => {
        const cosines = stretch.map((one) => dot(model.unit(word, one), model.unit(other, one)));
        return cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
      });
      return { word: name, before: old, after: now };
    });
    const gain = (one) => one.after - one.before;
    const joined = everyone.filter((one) => near[1].has(one.word)).sort((a, b) => gain(b) - gain(a)).slice(0, top);
    const left = everyone.filter((one) => near[0].has(one.word)).sort((a, b) => gain(a) - gain(b)).slice(0, top);
    return { joined: joined.filter((one) => gain(one) > 0), left: left.filter((one) => gain(one) < 0) };
  }

  async function changepoints({ word, place, min_count, most = 3, top = 5, signal }) {
    const number = model.wordNumber(word);
    const line = model.timeline(place);
    await model.needAll(line);
    await lib.breathe(signal);
    const own = model.own(number, min_count, line, 2 * LEAST);
    const others = likeWords(number, own.conditions, min_count);
    await lib.breathe(signal);
    const found = tried(own.unit, others).sort(
      (a, b) => b.good - a.good || a.p - b.p || (a.p_words || 0) - (b.p_words || 0),
    );
    const good = found.filter((one) => one.good).slice(0, most);
    const shown = (good.length ? good : found.slice(0, 1)).sort((a, b) => a.split - b.split);
    const points = [];
    for (const one of shown) {
      const begin = Math.max(0, ...shown.map((other) => other.split).filter((split) => split < one.split));
      const end = Math.min(own.unit.length, ...shown.map((other) => other.split).filter((split) => split > one.split));
      const [before, after] = [own.conditions.slice(begin, one.split), own.conditions.slice(one.split, end)];
      const moved = one.good ? await movers(number, before, after, top, min_count) : { joined: [], left: [] };
      points.push({
        last: labels[before[before.length - 1]], first: labels[after[0]],
        shift: distance(own.unit.slice(begin, one.split), own.unit.slice(one.split, end)),
        p: one.p, p_words: one.p_words, accepted: one.good, ...moved,
      });
    }
    return {
      word, place: place ?? null, against: null, conditions: own.conditions.map((one) => labels[one]), points,
      level: LEVEL, permutations: PERMUTATIONS, min_count, signature,
    };
  }

  lib.changes = { changepoints };
})(window.chronotope);
