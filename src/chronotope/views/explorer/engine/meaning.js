// What a word means where: its neighbors, its company, its likeness to itself and to others, its place along an axis.
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const { model, search, random } = lib;
  const { labels, about, dot, signature } = model;
  const RESAMPLES = 1000;
  const FEWEST_SEEDS = 3;
  const LOOKED_AT = 50;
  const axisOf = (place) => (place ? "time" : about.axis);
  const among = (place) => (place ? model.timeline(place) : model.among());
  const supportOf = (word, chosen) => chosen.map((number) => model.support(word, number));

  async function neighbors({ word, at, place, top, min_count, retrieval }) {
    const number = model.wordNumber(word);
    const chosen = place && at === undefined ? model.timeline(place) : model.among(at);
    await model.needAll(chosen);
    if (chosen.some((one) => model.support(number, one) === 0)) await model.needCommon();
    const rows = [];
    for (const one of chosen) {
      const matches = search.neighbors(number, one, top, min_count, retrieval);
      rows.push({ condition: labels[one], support: model.support(number, one), matches });
      await lib.breathe();
    }
    return { word, retrieval, top, min_count, rows, signature };
  }

  async function ranks({ word, place, top, min_count, signal }) {
    const number = model.wordNumber(word);
    const chosen = among(place);
    await model.needAll(chosen);
    const kept = model.own(number, min_count, chosen).conditions;
    const found = new Map();
    for (const [at, one] of kept.entries()) {
      search.neighbors(number, one, top, min_count).forEach((match, rank) => {
        if (!found.has(match.word)) found.set(match.word, kept.map(() => null));
        found.get(match.word)[at] = rank + 1;
      });
      await lib.breathe(signal);
    }
    const ranked = [...found].map(([name, places]) => ({ word: name, ranks: places }));
    const conditions = kept.map((one) => labels[one]);
    return { word, axis: axisOf(place), conditions, top, neighbors: ranked, min_count, signature };
  }

  async function company({ word, top, limit, min_count, each, signal }) {
    const number = model.wordNumber(word);
    const all = model.among();
    await model.needAll(all);
    const present = all.filter((one) => model.support(number, one) >= min_count);
    if (!present.length) {
      model.fail("too_rare", `'${word}' occurs ${min_count} times or more in no condition; its company cannot be told`);
    }
    const ends = about.axis === "time" && !each;
    const chosen = ends ? [...new Set([present[0], present[present.length - 1]])] : present;
    const near = new Map();
    for (const one of chosen) {
      for (const match of search.neighbors(number, one, top, min_count)) {
        near.set(match.word, [...(near.get(match.word) || []), labels[one]]);
      }
      await lib.breathe(signal);
    }
    const kept = new Set([...near.keys()].sort((a, b) => near.get(b).length - near.get(a).length).slice(0, limit));
    const companions = [...near].filter(([name]) => kept.has(name)).map(([name, near_in]) => {
      const other = model.wordNumber(name);
      const similarity = all.map((one) => together(number, other, one, min_count));
      return { word: name, similarity, near_in };
    });
    return {
      word, axis: about.axis, conditions: labels, support: supportOf(number, all), companions,
      looked_at: chosen.map((one) => labels[one]), min_count, signature,
    };
  }

  function together(word, other, condition, least) {
    if (Math.min(model.support(word, condition), model.support(other, condition)) < least) return null;
    return dot(model.unit(word, condition), model.unit(other, condition));
  }

  // For each vector what the word means in all the others: their mean direction.
  function overall(unit) {
    const total = unit[0].map((_, d) => unit.reduce((sum, row) => sum + row[d], 0));
    return unit.map((row) => model.normalized(row.map((value, d) => total[d] - value)));
  }

  async function series({ word, against, place, min_count }) {
    const number = model.wordNumber(word);
    const chosen = place || against === "previous" ? model.timeline(place) : model.among();
    await model.needAll(chosen);
    const own = model.own(number, min_count, chosen);
    let values;
    if (against === "overall") {
      const others = overall(own.unit);
      values = own.unit.map((row, at) => dot(row, others[at]));
    } else if (against === "previous") {
      values = own.unit.map((row, at) => (at ? dot(row, own.unit[at - 1]) : null));
    } else {
      const base = against === "first" ? own.conditions[0] : model.conditionNumber(against);
      const row = own.conditions.indexOf(base);
      if (row < 0) model.fail("bad_request", `'${word}' occurs fewer than ${min_count} times in ${labels[base]}`);
      values = own.unit.map((other, at) => (at === row ? 1 : dot(own.unit[row], other)));
      against = labels[base];
    }
    const known = new Map(own.conditions.map((one, at) => [one, values[at]]));
    const support = supportOf(number, chosen);
    const empty = chosen.map(() => null);
    return {
      word, axis: axisOf(place), against, conditions: chosen.map((one) => labels[one]), support,
      per_million: chosen.map((one, at) => (1e6 * support[at]) / Math.max(1, about.conditions[one].tokens)),
      values: chosen.map((one) => known.get(one) ?? null), low: empty, high: empty, min_count, signature,
      corrected: empty, bootstrap: 0,
    };
  }

  async function similarity({ word, place, min_count }) {
    const number = model.wordNumber(word);
    const chosen = among(place);
    await model.needAll(chosen);
    const own = model.own(number, min_count, chosen);
    const row = new Map(own.conditions.map((one, at) => [one, own.unit[at]]));
    const cosine = (a, b) => (a === b ? 1 : dot(row.get(a), row.get(b)));
    const table = chosen.map((a) => chosen.map((b) => (row.has(a) && row.has(b) ? cosine(a, b) : null)));
    return {
      word, axis: axisOf(place), conditions: chosen.map((one) => labels[one]), support: supportOf(number, chosen),
      similarity: table, min_count, signature,
    };
  }

  async function compare({ word, against, place, min_count }) {
    const names = [...new Set(word)];
    if (names.length < 2) model.fail("bad_request", "name two words or more to compare");
    const numbers = names.map(model.wordNumber);
    const chosen = among(place);
    await model.needAll(chosen);
    const pairs = [];
    names.forEach((first, a) => {
      names.slice(a + 1).forEach((second, step) => {
        const values = chosen.map((one) => together(numbers[a], numbers[a + 1 + step], one, min_count));
        pairs.push({ words: [first, second], similarity: values });
      });
    });
    const own = [];
    for (const name of names) own.push(await series({ word: name, against, place, min_count }));
    const conditions = chosen.map((one) => labels[one]);
    return { words: names, axis: axisOf(place), conditions, series: own, pairs, min_count, signature };
  }

  async function equivalents({ word, at, to, top, min_count, retrieval }) {
    const number = model.wordNumber(word);
    const [source, target] = [model.conditionNumber(at), model.conditionNumber(to)];
    await model.needAll([source, target]);
    const support = model.support(number, source);
    if (!support) await model.needCommon();
    const matches = search.equivalents(number, source, target, top, min_count, retrieval);
    return { word, at: labels[source], to: labels[target], support, retrieval, top, min_count, matches, signature };
  }

  async function everywhere({ word, at, top, chance, min_count, signal }) {
    const number = model.wordNumber(word);
    const source = model.conditionNumber(at);
    const known = chance === model.manifest.chance && min_count === model.manifest.min_count;
    if (!known && chance !== 1) {
      const { chance: usual, min_count: least } = model.manifest;
      model.fail("unavailable", `without a server this is known for chance ${usual} and min_count ${least}, or chance 1`);
    }
    const { needed } = await lib.load("answers");
    const row = needed[needed.length > 1 ? source : 0];
    await model.needAll(model.among());
    if (!model.support(number, source)) await model.needCommon();
    const parts = [];
    for (const [to, condition] of labels.entries()) {
      const found = search.equivalents(number, source, to, Math.max(top, LOOKED_AT), min_count);
      const nearest = search.equivalents(number, source, to, 1, min_count, "cosine");
      const enough = chance === 1 ? -1 : row[to];
      const isNear = (match) => match.cosine >= enough;
      const near = found.some(isNear) ? found.filter(isNear) : nearest.filter(isNear);
      parts.push({ condition, matches: near.slice(0, top), nearest: nearest[0] || null, needed: enough });
      await lib.breathe(signal);
    }
    return { word, at: labels[source], axis: about.axis, parts, chance, retrieval: "csls", min_count, signature };
  }

  // The words on both sides of an axis: `fruit - company`, `(a + b) - (c + d)` (see formula.py).
  function parse(text) {
    const tokens = text.match(/[()+,]|[-−–](?=[\s(])|[^\s()+,]+/gu) || [];
    const sides = { 1: [], "-1": [] };
    const signs = [1];
    let sign = 1;
    for (const token of tokens) {
      if (token === "(") {
        signs.push(signs[signs.length - 1] * sign);
        sign = 1;
      } else if (token === ")") {
        if (signs.length === 1) model.fail("bad_request", `'${text}' has a closing parenthesis too many`);
        signs.pop();
        sign = 1;
      } else if (token === "+" || token === ",") {
        sign = 1;
      } else if (/^[-−–]$/u.test(token)) {
        sign = -1;
      } else {
        sides[signs[signs.length - 1] * sign].push(token);
        sign = 1;
      }
    }
    if (signs.length > 1) model.fail("bad_request", `'${text}' has a parenthesis that is not closed`);
    const [plus, minus] = [[...new Set(sides[1])], [...new Set(sides[-1])]];
    if (!plus.length) model.fail("bad_request", `'${text}' has no word to point to; write for instance 'fruit - company'`);
    const twice = plus.find((name) => minus.includes(name));
    if (twice) model.fail("bad_request", `'${twice}' stands on both sides of '${text}'`);
    return { plus, minus };
  }

  const mean = (rows) => rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0) / rows.length);

  function alongAxis(own, sides) {
    const [plus, minus] = sides.filter((side) => side.length).map(mean);
    const axis = minus ? plus.map((value, d) => value - minus[d]) : plus;
    return dot(own, axis) / (Math.sqrt(dot(axis, axis)) || 1);
  }

  function interval(own, sides, draw) {
    const given = sides.filter((side) => side.length);
    if (Math.max(...given.map((side) => side.length)) < FEWEST_SEEDS) return [null, null];
    const values = Array.from({ length: RESAMPLES }, () =>
      alongAxis(own, given.map((side) => side.map(() => side[Math.floor(draw() * side.length)]))),
    ).sort((a, b) => a - b);
    return [random.quantile(values, 0.025), random.quantile(values, 0.975)];
  }

  async function positions({ word, formula, fixed, min_count }) {
    const number = model.wordNumber(word);
    const { plus, minus } = parse(formula);
    if ([...plus, ...minus].includes(word)) {
      model.fail("bad_request", `'${word}' is itself a seed of '${formula}'; a word cannot be measured by itself`);
    }
    const seeds = [plus, minus].map((side) => side.map(model.wordNumber));
    const all = model.among();
    await model.needAll(all);
    const everywhere = (seed) => model.normalized(mean(model.own(seed, min_count, all).unit));
    const same = fixed ? seeds.map((side) => side.map(everywhere)) : null;
    const draw = random.generator(1);
    const rows = all.map((one) => {
      const here = (side) => side.filter((seed) => model.support(seed, one) >= min_count);
      const sides = same || seeds.map((side) => here(side).map((seed) => model.unit(seed, one)));
      const support = model.support(number, one);
      const counts = sides.map((side) => side.length);
      const row = { condition: labels[one], support, value: null, low: null, high: null, seeds: counts, corrected: null };
      if (support < min_count || !counts[0] || (minus.length && !counts[1])) return row;
      const own = model.unit(number, one);
      const [low, high] = interval(own, sides, draw);
      return { ...row, value: alongAxis(own, sides), low, high };
    });
    if (rows.every((row) => row.value === null)) {
      model.fail("too_rare", `'${word}' and the seeds of '${formula}' are together frequent enough in no condition`);
    }
    return { word, axis: about.axis, plus, minus, fixed, rows, min_count, signature, interval: "seeds", bootstrap: 0 };
  }

  async function axis({ word, formula, fixed, min_count }) {
    const answers = [];
    for (const one of new Set(word)) answers.push(await positions({ word: one, formula, fixed, min_count }));
    const side = (words) => (words.length > 1 ? `(${words.join(" + ")})` : words.join(""));
    const written = [answers[0].plus, answers[0].minus].map(side).filter(Boolean).join(" − ");
    return { formula: written, answers };
  }

  lib.meaning = { neighbors, ranks, company, series, similarity, compare, equivalents, everywhere, axis, positions, overall };
})(window.chronotope);
