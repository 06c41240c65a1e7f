// A word over places, and over time × place (see maps.py, geography.py, grid.py).
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const { model, meaning, changes, random } = lib;
  const { about, dot, signature } = model;
  const PERMUTATIONS = 999;
  const NEAREST = 3;

  const needAxes = (...axes) => {
    for (const axis of axes) {
      if (!about[`${axis}s`].length) {
        model.fail("unavailable", `the conditions of this model are ${about.axis} alone; this needs ${axis}s`);
      }
    }
  };

  // For each place the likeness of its mean direction to that of the other places.
  function overallByPlace(own) {
    const byPlace = new Map();
    own.conditions.forEach((one, at) => {
      const place = about.conditions[one].place;
      byPlace.set(place, [...(byPlace.get(place) || []), own.unit[at]]);
    });
    const numbers = [...byPlace.keys()].sort((a, b) => a - b);
    const means = numbers.map((place) => {
      const rows = byPlace.get(place);
      return model.normalized(rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0)));
    });
    const others = meaning.overall(means);
    return new Map(numbers.map((place, at) => [place, [dot(means[at], others[at]), null, null]]));
  }

  function positionsByPlace(rows) {
    const found = new Map();
    rows.forEach((row, one) => {
      if (row.value === null) return;
      const place = about.conditions[one].place;
      found.set(place, [...(found.get(place) || []), row]);
    });
    return new Map([...found].map(([place, here]) => {
      if (here.length === 1) return [place, [here[0].value, here[0].low, here[0].high]];
      const weight = here.reduce((sum, row) => sum + row.support, 0);
      return [place, [here.reduce((sum, row) => sum + row.value * row.support, 0) / weight, null, null]];
    }));
  }

  // Which places are neighbors: one is among the nearest of the other, along great circles.
  function links(coordinates) {
    const located = coordinates.map((where, place) => [where, place]).filter(([where]) => where);
    const points = located.map(([[lat, lon]]) => {
      const [north, east] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
      return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
    });
    const pairs = new Map();
    points.forEach((point, a) => {
      const gap = (other) => points[other].reduce((sum, value, d) => sum + (value - point[d]) ** 2, 0);
      points.map((_, b) => b).filter((b) => b !== a).sort((b, c) => gap(b) - gap(c) || b - c).slice(0, NEAREST)
        .forEach((b) => {
          const pair = [located[Math.min(a, b)][1], located[Math.max(a, b)][1]];
          pairs.set(pair.join(" "), pair);
        });
    });
    return [...pairs.values()];
  }

  // Whether neighboring places are alike: Moran's I, with how often chance does as much.
  function moran(values, neighbors) {
    const known = values.map((value, place) => [value, place]).filter(([value]) => value !== null);
    const number = new Map(known.map(([, place], at) => [place, at]));
    const pairs = neighbors.filter(([a, b]) => number.has(a) && number.has(b)).map(([a, b]) => [number.get(a), number.get(b)]);
    const raw = known.map(([value]) => value);
    if (raw.length < 4 || !pairs.length || Math.max(...raw) === Math.min(...raw)) return null;
    const mean = raw.reduce((sum, value) => sum + value, 0) / raw.length;
    const away = raw.map((value) => value - mean);
    const spread = away.reduce((sum, value) => sum + value * value, 0);
    const measure = (dealt) => {
      const together = pairs.reduce((sum, [a, b]) => sum + dealt[a] * dealt[b], 0);
      return ((dealt.length / pairs.length) * together) / spread;
    };
    const value = measure(away);
    const draw = random.generator(1);
    const dealt = [...away];
    let reached = 0;
    for (let time = 0; time < PERMUTATIONS; time++) {
      if (measure(random.shuffle(dealt, draw)) >= value - 1e-12) reached++;
    }
    const p = (1 + reached) / (1 + PERMUTATIONS);
    return { value, expected: -1 / (raw.length - 1), p, places: raw.length, links: pairs.length, permutations: PERMUTATIONS };
  }

  async function map({ word, formula, min_count }) {
    needAxes("place");
    const number = model.wordNumber(word);
    const all = model.among();
    await model.needAll(all);
    let measured;
    if (formula) measured = positionsByPlace((await meaning.positions({ word, formula, fixed: false, min_count })).rows);
    else measured = overallByPlace(model.own(number, min_count, all, 2));
    const coordinates = model.manifest.coordinates;
    const rows = about.places.map((place, at) => {
      const here = all.filter((one) => about.conditions[one].place === at);
      const support = here.reduce((sum, one) => sum + model.support(number, one), 0);
      const [value, low, high] = measured.get(at) || [null, null, null];
      const [lat, lon] = (coordinates && coordinates[at]) || [null, null];
      return { place, support, value, low, high, lat, lon };
    });
    const near = coordinates ? moran(rows.map((row) => (row.lat === null ? null : row.value)), links(coordinates)) : null;
    return { word, measure: formula || "overall", rows, moran: near, min_count, signature };
  }

  async function places({ min_count }) {
    needAxes("place");
    const { places: found } = await lib.load("answers");
    if (found.error) model.fail("unavailable", found.error);
    if (min_count !== found.min_count) {
      model.fail("unavailable", `without a server this is known for min_count ${found.min_count} alone`);
    }
    return found;
  }

  async function change(word, place, min_count) {
    try {
      const { points } = await changes.changepoints({ word, place, min_count, most: 1, top: 0 });
      const { first, shift, p, p_words, accepted } = points[0];
      return { place, first: about.times[about.conditions[model.conditionNumber(first)].time], shift, p, p_words, accepted };
    } catch (error) {
      // Too rare in this place; that is an answer, too.
      if (error.kind !== "too_rare") throw error;
      return { place, first: null, shift: null, p: null, p_words: null, accepted: false };
    }
  }

  async function grid({ word, formula, min_count, signal }) {
    needAxes("time", "place");
    const number = model.wordNumber(word);
    const all = model.among();
    await model.needAll(all);
    let known;
    if (formula) {
      const { rows } = await meaning.positions({ word, formula, fixed: false, min_count });
      known = new Map(rows.map((row, one) => [one, row.value]));
    } else {
      const own = model.own(number, min_count, all, 2);
      const others = meaning.overall(own.unit);
      known = new Map(own.conditions.map((one, at) => [one, dot(own.unit[at], others[at])]));
    }
    const at = (time, place) => about.conditions.findIndex((one) => one.time === time && one.place === place);
    const table = (cell) => about.times.map((_, time) => about.places.map((_, place) => cell(at(time, place))));
    const found = [];
    for (const place of about.places) {
      found.push(await change(word, place, min_count));
      await lib.breathe(signal);
    }
    const order = (one) => (one.first === null ? about.times.length : about.times.indexOf(one.first));
    found.sort((a, b) => b.accepted - a.accepted || order(a) - order(b) || (a.place < b.place ? -1 : 1));
    return {
      word, measure: formula || "overall", times: about.times, places: about.places,
      values: table((one) => known.get(one) ?? null),
      support: table((one) => (one < 0 ? 0 : model.support(number, one))),
      changes: found, min_count, signature,
    };
  }

  lib.places = { map, places, grid };
})(window.chronotope);
