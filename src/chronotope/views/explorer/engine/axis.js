// The position of words on an axis of other words (see axes.py).
"use strict";
{
  const { lib } = window.chronotope;
  const { model, meaning } = lib;
  const { about, dot, labels } = model;
  const EXAMPLE = "write for instance 'fruit - company'";

  /** Return the words on both sides of `fruit - company` or `(a + b) - (c + d)`. @param {string} text */
  function parse(text) {
    const tokens = text.match(/[()+,]|[-−–](?=[\s(])|[^\s()+,]+/gu) || [];
    /** @type {Record<string, string[]>} */
    const sides = { 1: [], "-1": [] };
    const signs = [1];
    let sign = 1;
    let before = "(";
    const isSign = (token) => /^[+,−–-]$/u.test(token);
    for (const token of tokens) {
      const minus = /^[−–-]$/u.test(token);
      if ((before === "(" || isSign(before)) && (token === ")" || (isSign(token) && !(before === "(" && minus)))) {
        model.fail("bad_request", `'${text}' has no word before '${token}'; ${EXAMPLE}`);
      }
      before = token;
      if (token === "(") signs.push(signs[signs.length - 1] * sign);
      else if (token === ")" && signs.length === 1) model.fail("bad_request", `'${text}' has a closing parenthesis too many`);
      else if (token === ")") signs.pop();
      else if (!isSign(token)) sides[signs[signs.length - 1] * sign].push(token);
      sign = minus ? -1 : 1;
    }
    if (isSign(before)) model.fail("bad_request", `'${text}' ends with a sign; ${EXAMPLE}`);
    if (signs.length > 1) model.fail("bad_request", `'${text}' has a parenthesis that is not closed`);
    const [plus, minus] = [[...new Set(sides[1])], [...new Set(sides[-1])]];
    if (!plus.length) model.fail("bad_request", `'${text}' has no word to point to; ${EXAMPLE}`);
    const twice = plus.find((name) => minus.includes(name));
    if (twice) model.fail("bad_request", `'${twice}' stands on both sides of '${text}'`);
    return [plus, minus];
  }

  /** @param {Float64Array[]} rows */
  const mean = (rows) => model.total(rows).map((value) => value / rows.length);

  /**
   * Return for each side the direction of its seeds in a condition, and how many of them occur often enough.
   * A seed that is too rare there is represented by the mean of its directions elsewhere.
   * @param {number[][]} seeds @param {number[]} among @param {boolean} fixed @param {number} least
   */
  function seedsIn(seeds, among, fixed, least) {
    const known = seeds.map((side) => side.map((id) => {
      const where = among.filter((one) => model.count(id, one) >= least);
      return { id, where, mean: where.length ? model.normalized(mean(where.map((one) => model.unit(id, one)))) : null };
    }));
    return (number) => known.map((side) => {
      const there = side.filter((seed) => seed.mean);
      const own = fixed ? there : there.filter((seed) => seed.where.includes(number));
      const rows = there.map((seed) => (!fixed && seed.where.includes(number) ? model.unit(seed.id, number) : seed.mean));
      return { enough: own.length, direction: rows.length ? mean(rows) : null };
    });
  }

  async function axis({ word, formula, fixed, min_count, place, bootstrap, signal }) {
    if (bootstrap) model.fail("unavailable", about.missing.bands);
    const [plus, minus] = parse(formula);
    const seeds = [plus, minus].map((side) => side.map(model.wordId));
    const names = model.spelled(word);
    const side = (list) => (list.length > 1 ? `(${list.join(" + ")})` : list.join(""));
    const shown = [plus, minus].map(side).filter(Boolean).join(" − ");
    const own = names.find((name) => [...plus, ...minus].includes(name));
    if (own) model.fail("bad_request", `'${own}' is itself a seed of '${shown}'; name another word`);
    const ids = names.map(model.wordId);
    /** @type {number[]} */
    const among = place ? model.timeline(place) : model.all();
    await model.need(among, signal);
    const at = seedsIn(seeds, among, fixed, min_count);
    const rows = names.flatMap((name, which) => among.map((one) => {
      const [above, below] = at(one);
      const count = model.count(ids[which], one);
      const measured = count >= min_count && above.enough && (below.enough || !minus.length);
      return {
        word: name, condition: labels[one], count, position: measured ? position(model.unit(ids[which], one), above, below) : null,
        corrected: null, low: null, high: null, plus_seeds: above.enough, minus_seeds: below.enough,
      };
    }));
    for (const name of names) {
      if (rows.every((row) => row.word !== name || row.position === null)) {
        const helps = model.whatHelps(min_count);
        model.fail("too_rare", `'${name}' and the seeds of '${shown}' are together frequent enough in no condition${helps}`);
      }
    }
    const facts = { axis: place ? "time" : about.axis, plus, minus, fixed, min_count, bootstrap, interval: null };
    const notes = meaning.hidden(names, among, min_count);
    const rare = [...new Set(rows.filter((row) => row.count >= min_count && row.position === null).map((row) => row.condition))];
    if (rare.length) notes.push(`Left out, since the words at one end occur ${model.fewerThan(min_count)}: ${model.someOf(rare)}.`);
    notes.push("No interval: a folder without a server cannot resample documents.");
    return meaning.answer(`${names.join(", ")}: position on ${shown}`, rows, facts, notes);
  }

  /** @param {Float64Array} own @param {any} above @param {any} below */
  function position(own, above, below) {
    const axis = below.direction ? above.direction.map((value, d) => value - below.direction[d]) : above.direction;
    return dot(own, axis) / (Math.sqrt(dot(axis, axis)) || 1);
  }

  lib.axis = { axis };
}
