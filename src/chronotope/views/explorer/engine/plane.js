// The path of a word among its company in a plane (see trajectory.py).
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const { model, meaning, eigen } = lib;
  const { labels, dot, about, signature } = model;
  const FEWEST_FOR_LLE = 12;
  const NEIGHBORS = 10;
  const RIDGE = 1e-3;
  const TOP = 3;
  const LIMIT = 24;

  // Each point is rebuilt from its nearest points; the plane keeps those weights.
  function locallyLinear(rows) {
    const size = rows.length;
    const count = Math.min(NEIGHBORS, size - 1);
    const weights = rows.map((row, at) => {
      const gap = (other) => rows[other].reduce((sum, value, d) => sum + (value - row[d]) ** 2, 0);
      const near = rows.map((_, other) => other).filter((other) => other !== at)
        .map((other) => [gap(other), other]).sort((a, b) => a[0] - b[0] || a[1] - b[1])
        .slice(0, count).map(([, other]) => other);
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
    return rows.map((_, at) => [vectors[1][at], vectors[2][at]]);
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

  async function trajectory({ word, method, min_support, signal }) {
    const number = model.wordNumber(word);
    await model.needAll(model.among());
    const own = model.own(number, min_support, model.among(), 2);
    const { companions } = await meaning.company({ word, top: TOP, limit: LIMIT, min_support, each: true, signal });
    await lib.breathe(signal);
    const around = companions.map((one) => {
      const other = model.wordNumber(one.word);
      const units = one.near_in.map((label) => model.unit(other, model.conditionNumber(label)));
      return model.normalized(units[0].map((_, d) => units.reduce((sum, row) => sum + row[d], 0) / units.length));
    });
    const rows = [...own.unit, ...around];
    const used = rows.length < FEWEST_FOR_LLE ? "pca" : method;
    const plane = oriented(used === "lle" ? locallyLinear(rows) : principalAxes(rows));
    const note = used === method ? "" : `principal axes: ${rows.length} points are too few for LLE`;
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
