// The path of a word among its company in a plane (see trajectory.py).
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const { model, meaning, eigen } = lib;
  const { labels, dot, about, signature } = model;
  const FEWEST_FOR_LLE = 12;
  const NEIGHBORS = 10;
  const FEWEST_IN_A_PART = 3;
  const APART = 0.01;
  const RIDGE = 1e-3;
  const TOP = 3;
  const LIMIT = 24;

  // The other points of each point, the nearest first.
  function nearest(rows) {
    return rows.map((row, at) => {
      const gap = (other) => rows[other].reduce((sum, value, d) => sum + (value - row[d]) ** 2, 0);
      return rows.map((_, other) => other).filter((other) => other !== at)
        .map((other) => [gap(other), other]).sort((a, b) => a[0] - b[0] || a[1] - b[1])
        .map(([, other]) => other);
    });
  }

  // How many neighbors join all points, up to half of them; null where these do not.
  function joining(others) {
    const size = others.length;
    for (let count = NEIGHBORS; count <= Math.max(NEIGHBORS, Math.floor(size / 2)); count++) {
      const reached = others.map((_, from) => {
        const seen = new Set([from]);
        for (const at of seen) others[at].slice(0, count).forEach((next) => seen.add(next));
        return seen;
      });
      // A part: points that reach each other.
      const part = reached.map((seen, at) => [...seen].filter((other) => reached[other].has(at)));
      const parts = new Set(part.filter((own) => own.length >= FEWEST_IN_A_PART).map((own) => Math.min(...own)));
      if (parts.size <= 1) return count;
    }
    return null;
  }

  // Whether most points of a plane lie on another one.
  function collapsed(plane) {
    const extent = (axis) => Math.max(...plane.map((point) => point[axis])) - Math.min(...plane.map((point) => point[axis]));
    const scale = Math.max(extent(0), extent(1)) || 1;
    const gaps = plane.map((a) => Math.min(...plane.filter((b) => b !== a)
      .map((b) => Math.hypot(a[0] - b[0], a[1] - b[1]) / scale))).sort((a, b) => a - b);
    return (gaps[Math.floor((gaps.length - 1) / 2)] + gaps[Math.floor(gaps.length / 2)]) / 2 < APART;
  }

  // Each point is rebuilt from its nearest points; the plane keeps those weights. Null where it would mean nothing, and why.
  function locallyLinear(rows) {
    const size = rows.length;
    if (size < FEWEST_FOR_LLE) return [null, `principal axes: ${size} points are too few for LLE`];
    const others = nearest(rows);
    const count = joining(others);
    if (count === null) return [null, "principal axes: the points fall into parts, which LLE cannot relate to each other"];
    const weights = rows.map((row, at) => {
      const near = others[at].slice(0, count);
      const away = near.map((other) => rows[other].map((value, d) => value - row[d]));
      const table = away.map((a) => away.map((b) => dot(a, b)));
      const trace = table.reduce((sum, line, i) => sum + line[i], 0);
      table.forEach((line, i) => (line[i] += trace > 0 ? RIDGE * trace : RIDGE));
      const solved = eigen.solvedForOnes(table);
      const total = solved.reduce((sum, value) => sum + value, 0);
      const line = new Float64Array(size);
      near.forEach((other, i) => (line[other] = -solved[i] / total));
      line[at] += 1;
      return line; // a row of I − W
    });
    const table = rows.map((_, i) => rows.map((_, j) => weights.reduce((sum, line) => sum + line[i] * line[j], 0)));
    const { vectors } = eigen.symmetric(table);
    const plane = rows.map((_, at) => [vectors[1][at], vectors[2][at]]);
    return collapsed(plane) ? [null, "principal axes: LLE would draw most points in one place"] : [plane, ""];
  }

  function principalAxes(rows) {
    const mean = rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0) / rows.length);
    const centered = rows.map((row) => row.map((value, d) => value - mean[d]));
    const { values, vectors } = eigen.symmetric(centered.map((a) => centered.map((b) => dot(a, b))));
    const last = values.length - 1;
    const along = (axis, at) => (axis < 0 ? 0 : vectors[axis][at] * Math.sqrt(Math.max(values[axis], 0)));
    return rows.map((_, at) => [along(last, at), along(last - 1, at)]);
  }

  // Each axis turned so that its largest value is positive, the larger axis across.
  function oriented(plane) {
    const columns = [0, 1].map((axis) => {
      const mean = plane.reduce((sum, point) => sum + point[axis], 0) / plane.length;
      const values = plane.map((point) => point[axis] - mean);
      const peak = values.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
      const turned = peak < 0 ? values.map((value) => -value) : values;
      return { values: turned, extent: Math.max(...turned) - Math.min(...turned) };
    });
    columns.sort((a, b) => b.extent - a.extent);
    return plane.map((_, at) => ({ x: columns[0].values[at], y: columns[1].values[at] }));
  }

  async function trajectory({ word, method, min_count, signal }) {
    const number = model.wordNumber(word);
    await model.needAll(model.among());
    const own = model.own(number, min_count, model.among(), 2);
    const { companions } = await meaning.company({ word, top: TOP, limit: LIMIT, min_count, each: true, signal });
    await lib.breathe(signal);
    const around = companions.map((one) => {
      const other = model.wordNumber(one.word);
      const units = one.near_in.map((label) => model.unit(other, model.conditionNumber(label)));
      return model.normalized(units[0].map((_, d) => units.reduce((sum, row) => sum + row[d], 0) / units.length));
    });
    const rows = [...own.unit, ...around];
    const [found, note] = method === "lle" ? locallyLinear(rows) : [null, ""];
    const used = found ? "lle" : "pca";
    const plane = oriented(found || principalAxes(rows));
    const path = own.conditions.map((one, at) => ({
      condition: labels[one], support: model.support(number, one), ...plane[at],
    }));
    const company = companions.map((one, at) => ({
      word: one.word, ...plane[own.unit.length + at], near_in: one.near_in,
    }));
    return { word, axis: about.axis, method: used, note, path, company, signature };
  }

  lib.plane = { trajectory };
})(window.chronotope);
