// Questions that are similarities of vectors (see neighbors.py and series.py).
"use strict";
{
  const { lib } = window.chronotope;
  const { model, search } = lib;
  const { labels, about, dot, signature } = model;
  const CANDIDATES = 10;
  /** @type {string[]} a note if documents are not known */
  const documents_note = model.manifest.documents_note;
  const axisOf = (place) => (place ? "time" : about.axis);
  /** @param {string} title @param {any[]} rows @param {Record<string, any>} facts @param {string[]} [notes] @returns {Answer} */
  const answer = (title, rows, facts, notes = []) => {
    const isTime = facts.axis === "time" && rows.length && "condition" in rows[0];
    const place = isTime ? (rows[0].condition || "").split("/").slice(1).join("/") : "";
    const conditions = isTime ? { conditions: labels.filter((label) => label.split("/").slice(1).join("/") === place) } : {};
    return { rows, title, notes, facts: { ...conditions, ...facts }, signature };
  };

  /** Note the conditions in which a word is too rare. @param {string[]} words @param {number[]} among @param {number} least */
  function hidden(words, among, least) {
    return words.flatMap((word) => {
      const id = model.wordId(word);
      const rare = among.filter((one) => model.count(id, one) < least).map((one) => labels[one]);
      return rare.length ? [`Left out, since ${word} occurs ${model.fewerThan(least)}: ${model.someOf(rare)}.`] : [];
    });
  }

  const inWhere = (label) => (label ? `in ${label}` : "overall");

  /** @param {string} word @param {string | null} label @param {number} count @param {number} least */
  function rare(word, label, count, least) {
    if (!count) return [`${word} does not occur ${inWhere(label)}; the answer comes from its other conditions.`];
    return count < least ? [`${word} occurs ${model.fewerThan(least)} ${inWhere(label)}.`] : [];
  }

  /** Refuse a word that is absent from a condition, unless its other conditions may answer. @param {number} id @param {number} number @param {boolean} fallback */
  async function checkPresent(id, number, fallback) {
    if (model.count(id, number)) return;
    if (fallback) return void (await model.needCommon());
    await model.need(model.all());
    const where = model.all().filter((one) => model.count(id, one)).map((one) => labels[one]);
    const hint = where.length ? `it occurs in ${model.someOf(where)} (fallback answers from these)` : "it occurs nowhere";
    model.fail("too_rare", `'${model.words[id]}' does not occur in ${labels[number] ?? "any condition"}; ${hint}`);
  }

  /** @param {number} id @param {number[]} kept @param {number} least */
  function tooRareEverywhere(id, kept, least, needed = 0) {
    const where = kept.length ? `in ${kept.length} of the conditions` : "in no condition";
    const needs = needed ? `; this needs ${needed}` : "";
    const enough = model.numberOf(least, "times");
    model.fail("too_rare", `'${model.words[id]}' occurs ${enough} or more ${where}${needs}${model.whatHelps(least)}`);
  }

  async function neighbors({ word, at, place, top, min_count, retrieval, fallback, signal }) {
    const id = model.wordId(word);
    const name = model.words[id];
    /** @type {number[] | null} */
    const chosen = at || place ? model.named(at || "all", place) : null;
    const facts = { axis: axisOf(place), at: at ?? null, min_count, retrieval, filters: [] };
    if (chosen && chosen.length > 1) return inEach(id, chosen, { top, min_count, retrieval, fallback, signal }, facts);
    const number = chosen ? chosen[0] : model.OVERALL;
    const label = chosen ? labels[number] : null;
    await model.need([number], signal);
    await checkPresent(id, number, fallback);
    const count = model.count(id, number);
    const rows = search.neighbors(id, number, top, min_count, retrieval).map((one, rank) => ({
      word: name, condition: label, count, rank: rank + 1, neighbor: one.word, similarity: one.similarity,
      score: one.score, neighbor_count: one.count, documents: one.documents, fallback: !count,
    }));
    return answer(`${name}: neighbors ${inWhere(label)}`, rows, facts, [...rare(name, label, count, min_count), ...documents_note]);
  }

  /** @param {number} id @param {number[]} chosen @param {any} settings @param {any} facts */
  async function inEach(id, chosen, { top, min_count, retrieval, fallback, signal }, facts) {
    await model.need(chosen, signal);
    if (fallback) await model.needCommon();
    const kept = fallback ? chosen : chosen.filter((one) => model.count(id, one) >= min_count);
    if (!kept.length) tooRareEverywhere(id, kept, min_count);
    /** @type {Map<number, Map<number, [number, number]>>} neighbor → condition → rank and score */
    const near = new Map();
    for (const one of kept) {
      search.neighbors(id, one, top, min_count, retrieval).forEach((match, rank) => {
        if (!near.has(match.id)) near.set(match.id, new Map());
        near.get(match.id)?.set(one, [rank + 1, match.score]);
      });
      await lib.pause(signal);
    }
    const rows = [...near].sort((a, b) => b[1].size - a[1].size).flatMap(([other, ranks]) =>
      kept.filter((one) => model.count(other, one) >= min_count).map((one) => {
        const similarity = dot(model.unit(id, one), model.unit(other, one));
        const [rank, score] = ranks.get(one) ?? [null, retrieval === "cosine" ? similarity : null];
        const count = model.count(id, one);
        return {
          word: model.words[id], condition: labels[one], count, rank, neighbor: model.words[other], similarity, score,
          neighbor_count: model.count(other, one), documents: model.documents(other, one), fallback: !count,
        };
      }));
    const notes = fallback ? [] : hidden([model.words[id]], chosen, min_count);
    return answer(`${model.words[id]}: neighbors in each condition`, rows, facts, [...notes, ...documents_note]);
  }

  async function equivalents({ word, at, to, top, chance, min_count, retrieval, fallback, role_map, signal }) {
    const id = model.wordId(word);
    const [name, source] = [model.words[id], model.conditionNumber(at)];
    /** @type {number[]} */
    let targets = model.named(to ?? "all");
    if (targets.length > 1) targets = targets.filter((one) => one !== source);
    const [one, limit] = [targets.length === 1, top ?? (targets.length === 1 ? 10 : 3)];
    const elsewhere = (target) => about.axis === "place" && target !== source;
    const takesMap = (target) => model.manifest.role_maps > 0 && elsewhere(target);
    const otherMap = role_map !== null && targets.some((target) => target !== source && role_map !== takesMap(target));
    if (retrieval === "references") model.fail("unavailable", "this folder ranks by csls or cosine; use a server");
    if (otherMap || (chance !== 1 && (chance !== 0.05 || min_count !== model.manifest.min_count))) {
      model.fail("unavailable", "this folder decides matches for the default settings only; use a server");
    }
    const table = await lib.load("needed");
    await model.need([source, ...targets], signal);
    await checkPresent(id, source, fallback);
    const count = model.count(id, source);
    /** @type {any[]} */
    const rows = [];
    /** @type {string[]} */
    const without = [];
    /** @type {Record<string, any>} */
    const bars = {};
    for (const target of targets) {
      const bar = (bars[labels[target]] = table[table.length > 1 ? source : 0][target]);
      if (chance === 1) bars[labels[target]] = { ...bar, margins: bar.margins.map(() => null), false_match_rate: bar.words ? 1 : null };
      const margin = chance === 1 ? -Infinity : bar.margins[bar.least.filter((least) => count < least).length] ?? Infinity;
      const moved = takesMap(target) ? await search.role(source, target) : null;
      /** @type {(top: number, retrieval: string) => Match[]} */
      const search_ = (many, how) => search.equivalents(id, source, target, many, min_count, how, moved);
      const found = search_(Math.max(limit, CANDIDATES), retrieval);
      const two = search_(2, "cosine");
      const nearest = two.slice(0, 1);
      const every = [...found, ...two];
      const level = new Map(search.rivals(id, every, source, target, min_count, moved).map((rival, at) => [every[at].id, rival + margin]));
      const own = level.get(id);
      if (own !== undefined && count) level.set(id, Math.min(own, two.find((match) => match.id !== id)?.similarity ?? -1));
      const needed = (match) => /** @type {number} */ (level.get(match.id));
      const decided = nearest.some((match) => match.similarity >= needed(match));
      const isNear = (match) => decided && match.similarity >= needed(match);
      const above = found.filter(isNear).slice(0, limit);
      const matches = above.length ? above : nearest.filter(isNear);
      if (!matches.length) without.push(labels[target]);
      const listed = one ? found.slice(0, limit) : matches.length ? matches : nearest;
      listed.forEach((match, rank) => rows.push({
        word: name, at: labels[source], count, condition: labels[target], rank: matches.length || one ? rank + 1 : null,
        equivalent: match.word, equivalent_count: match.count, documents: match.documents, similarity: match.similarity, score: match.score,
        needed: Number.isFinite(needed(match)) ? needed(match) : null, match: isNear(match), fallback: !count,
      }));
      await lib.pause(signal);
    }
    const notes = rare(name, labels[source], count, min_count);
    if (without.length) notes.push(`No match in ${model.someOf(without)}; the nearest word is given.`);
    if (targets.length) notes.push(...documents_note);
    const mapped = targets.some(elsewhere);
    if (mapped && !model.manifest.role_maps) notes.push("This folder answers without role maps, since there are too many places; a server has them.");
    if (table.length === 1 && labels.length > 1) notes.push("Matches are calibrated for the middle condition of this folder; a server calibrates each.");
    const facts = {
      axis: about.axis, at: labels[source], to: to ?? null, chance, min_count, retrieval,
      filters: [], role_map: mapped && model.manifest.role_maps > 0, without_match: without, bar: bars,
    };
    return answer(`${name} in ${labels[source]}: equivalents ${to ? `in ${to}` : "in every other condition"}`, rows, facts, [...notes, ...calibration(bars)]);
  }

  /** Note the false-match rate that was reached. @param {Record<string, any>} bars */
  function calibration(bars) {
    const rates = Object.values(bars).map((bar) => bar.false_match_rate).filter((rate) => rate !== null);
    const unknown = Object.keys(bars).filter((label) => bars[label].false_match_rate === null);
    const [low, high] = [Math.min(...rates), Math.max(...rates)].map((rate) => (100 * rate).toFixed(1));
    const share = low === high ? `${low} %` : `${low} to ${high} %`;
    return [
      ...(rates.length ? [`False matches: ${share} of words whose counterpart was removed still match another word.`] : []),
      ...(unknown.length ? [`Too few words in common with ${model.someOf(unknown)} to calibrate a match.`] : []),
    ];
  }

  async function analogy({ a, b, c, at, to, top, min_count, fallback }) {
    const ids = [a, b, c].map(model.wordId);
    const [first, second, third] = ids.map((id) => model.words[id]);
    const source = model.conditionNumber(at);
    const target = to ? model.conditionNumber(to) : source;
    await model.need([source, target]);
    const where = [source, source, target];
    for (const [place, id] of ids.entries()) await checkPresent(id, where[place], fallback);
    const absent = ids.some((id, place) => !model.count(id, where[place]));
    const [from, step, base] = ids.map((id, place) => model.unit(id, where[place]));
    const query = model.normalized(step.map((value, d) => value - from[d] + base[d]));
    const rows = search.byCosine(query, target, top + 3, min_count)
      .filter((match) => !ids.includes(match.id)).slice(0, top)
      .map(({ word, similarity, count, documents }, rank) => ({ rank: rank + 1, word, similarity, count, documents, fallback: absent }));
    const shown = source === target ? `in ${labels[source]}` : `in ${labels[source]}, applied in ${labels[target]}`;
    const facts = { axis: about.axis, a: first, b: second, c: third, at: labels[source], to: labels[target], min_count };
    /** @type {[string, string, number][]} */
    const pairs = ids.map((id, place) => [model.words[id], labels[where[place]], model.count(id, where[place])]);
    const counted = pairs.map(([word, label, count]) => `${word} ${count.toLocaleString("en")} in ${label}`);
    const notes = [`Occurrences: ${counted.join(", ")}.`, ...pairs.flatMap((pair) => rare(...pair, min_count)), ...documents_note];
    return answer(`${first} is to ${second} as ${third} is to … (${shown})`, rows, facts, notes);
  }

  /** Return the vectors of a word where it occurs often enough. @param {number} id @param {number} least @param {number[]} among */
  function ownVectors(id, least, among) {
    const conditions = among.filter((one) => model.count(id, one) >= least);
    if (!conditions.length) tooRareEverywhere(id, conditions, least, 1);
    return { conditions, unit: conditions.map((one) => model.unit(id, one)) };
  }

  async function series({ word, against, place, min_count, bootstrap, signal }) {
    if (bootstrap) model.fail("unavailable", about.missing.bands);
    /** @type {number[]} */
    const among = place || against === "previous" ? model.timeline(place) : model.all();
    const words = model.spelled(word);
    await model.need(among, signal);
    const rows = words.flatMap((name) => oneSeries(name, against, among, min_count));
    const others = /** @type {Record<string, string>} */ ({ first: "its first condition", previous: "the condition before", overall: "all others" });
    const facts = { axis: axisOf(place), against, min_count, bootstrap };
    return answer(`${words.join(", ")}: similarity with ${others[against] ?? against}`, rows, facts, hidden(words, among, min_count));
  }

  /** @param {string} word @param {string} against @param {number[]} among @param {number} least */
  function oneSeries(word, against, among, least) {
    const id = model.wordId(word);
    const own = ownVectors(id, least, among);
    /** @type {(place: number) => [string | null, number | null]} */
    let compared;
    if (against === "overall") {
      compared = (place) => {
        const others = own.unit.filter((_, other) => model.apart(own.conditions[place], own.conditions[other]));
        return ["all others", others.length ? dot(own.unit[place], model.normalized(model.total(others))) : null];
      };
    } else if (against === "previous") {
      compared = (place) => (place ? [labels[own.conditions[place - 1]], dot(own.unit[place], own.unit[place - 1])] : [null, null]);
    } else {
      const base = against === "first" ? own.conditions[0] : model.conditionNumber(against);
      const row = own.conditions.indexOf(base);
      if (row < 0) model.fail("bad_request", `'${word}' occurs ${model.fewerThan(least)} in ${labels[base]}${model.whatHelps(least)}`);
      compared = (place) => [labels[base], place === row ? 1 : dot(own.unit[row], own.unit[place])];
    }
    return among.map((one) => {
      const place = own.conditions.indexOf(one);
      const [partner, similarity] = place < 0 ? [null, null] : compared(place);
      const count = model.count(id, one);
      const per_million = (1e6 * count) / Math.max(1, about.conditions[one].tokens);
      return { word, condition: labels[one], count, per_million, against: partner, similarity, corrected: null, low: null, high: null };
    });
  }

  async function matrix({ word, place, min_count, signal }) {
    const id = model.wordId(word);
    const name = model.words[id];
    const among = place ? model.timeline(place) : model.all();
    await model.need(among, signal);
    const own = ownVectors(id, min_count, among);
    const rows = own.conditions.flatMap((here, a) => own.conditions.map((there, b) => ({
      word: name, condition: labels[here], against: labels[there], count: Math.min(model.count(id, here), model.count(id, there)),
      similarity: a === b ? 1 : dot(own.unit[a], own.unit[b]),
    })));
    const facts = { axis: axisOf(place), min_count };
    return answer(`${name}: similarity between every two conditions`, rows, facts, hidden([name], among, min_count));
  }

  async function similarity({ word, place, min_count, signal }) {
    const names = model.spelled(word);
    if (names.length < 2) model.fail("bad_request", "name two words or more to compare");
    const ids = names.map(model.wordId);
    /** @type {number[]} */
    const among = place ? model.timeline(place) : model.all();
    await model.need(among, signal);
    const rows = among.flatMap((one) => {
      const counts = ids.map((id) => model.count(id, one));
      const unit = ids.map((id, at) => (counts[at] >= min_count ? model.unit(id, one) : null));
      return names.flatMap((first, a) => names.slice(a + 1).map((second, step) => {
        const b = a + 1 + step;
        const value = unit[a] && unit[b] ? dot(unit[a], unit[b]) : null;
        return { word: first, other: second, condition: labels[one], count: counts[a], other_count: counts[b], similarity: value, low: null, high: null };
      }));
    });
    const facts = { axis: axisOf(place), min_count };
    return answer(`${names.join(", ")}: similarity with each other`, rows, facts, hidden(names, among, min_count));
  }

  lib.meaning = { neighbors, equivalents, analogy, series, matrix, similarity, answer, hidden };
}
