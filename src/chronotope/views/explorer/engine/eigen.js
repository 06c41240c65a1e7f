// The axes of a symmetric table of numbers (Jacobi's method): small tables, no library.
"use strict";

(function (chronotope) {
  const SWEEPS = 60;

  // The eigenvalues, the smallest first, and for each its vector of length one.
  function symmetric(table) {
    const size = table.length;
    const a = table.map((row) => Float64Array.from(row));
    const v = a.map((_, i) => Float64Array.from({ length: size }, (_, j) => (i === j ? 1 : 0)));
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      let outside = 0;
      let inside = 0;
      for (let i = 0; i < size; i++) {
        inside += a[i][i] * a[i][i];
        for (let j = 0; j < i; j++) outside += a[i][j] * a[i][j];
      }
      if (outside <= 1e-26 * (inside || 1)) break;
      for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(a, v, p, q);
    }
    const order = a.map((_, i) => i).sort((i, j) => a[i][i] - a[j][j]);
    return { values: order.map((i) => a[i][i]), vectors: order.map((i) => v.map((row) => row[i])) };
  }

  function rotate(a, v, p, q) {
    if (a[p][q] === 0) return;
    const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
    const c = 1 / Math.sqrt(t * t + 1);
    const s = t * c;
    for (let k = 0; k < a.length; k++) {
      const [x, y] = [a[k][p], a[k][q]];
      a[k][p] = c * x - s * y;
      a[k][q] = s * x + c * y;
    }
    for (let k = 0; k < a.length; k++) {
      const [x, y] = [a[p][k], a[q][k]];
      a[p][k] = c * x - s * y;
      a[q][k] = s * x + c * y;
      const [m, n] = [v[k][p], v[k][q]];
      v[k][p] = c * m - s * n;
      v[k][q] = s * m + c * n;
    }
  }

  // The x of G x = 1 … 1, G positive definite.
  function solvedForOnes(table) {
    const rows = table.map((row) => [...row, 1]);
    const size = rows.length;
    for (let i = 0; i < size; i++) {
      for (let j = i + 1; j < size; j++) {
        const factor = rows[j][i] / rows[i][i];
        for (let k = i; k <= size; k++) rows[j][k] -= factor * rows[i][k];
      }
    }
    const x = new Array(size);
    for (let i = size - 1; i >= 0; i--) {
      x[i] = rows[i][size];
      for (let k = i + 1; k < size; k++) x[i] -= rows[i][k] * x[k];
      x[i] /= rows[i][i];
    }
    return x;
  }

  chronotope.lib.eigen = { symmetric, solvedForOnes };
})(window.chronotope);
