// From values to pixels, round numbers on axes, labels that do not overlap.
(function (ct) {
  "use strict";

  ct.linear = function (from, to, start, end) {
    const span = to - from || 1;
    return (value) => start + ((value - from) / span) * (end - start);
  };

  // Round numbers between two values, about `count` of them.
  ct.ticks = function (low, high, count = 4) {
    const raw = (high - low || 1) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999);
    const ticks = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++)
      ticks.push(Number((at * step).toPrecision(12)));
    return ticks;
  };

  // The ends of values, widened to round numbers.
  ct.extent = function (values, least = 0) {
    const known = values.filter(ct.known);
    if (!known.length) return [0, 1];
    let low = Math.min(...known);
    let high = Math.max(...known);
    if (high - low < least) {
      const middle = (high + low) / 2;
      low = middle - least / 2;
      high = middle + least / 2;
    }
    return [low, high];
  };

  // Which of `count` labels are shown when each needs `wide` of `width` pixels: every nth, and always the last.
  ct.every = function (count, width, wide) {
    const step = Math.max(1, Math.ceil((count * wide) / Math.max(width, 1)));
    const shown = new Set();
    for (let at = count - 1; at >= 0; at -= step) shown.add(at);
    return shown;
  };

  // `count` columns that fit into `most`: at even distances, with the first, the last, and `always`.
  ct.columns = function (count, most, always) {
    if (count <= most) return Array.from({ length: count }, (_, at) => at);
    const slots = Math.max(most, 2);
    const chosen = new Set(Array.from({ length: slots }, (_, at) => Math.round((at * (count - 1)) / (slots - 1))));
    if (always >= 0 && !chosen.has(always) && slots > 2) {
      const inner = [...chosen].filter((at) => at !== 0 && at !== count - 1);
      const nearest = inner.reduce(
        (best, at) => (Math.abs(at - always) < Math.abs(best - always) ? at : best),
        inner[0],
      );
      chosen.delete(nearest);
      chosen.add(always);
    }
    return [...chosen].sort((a, b) => a - b);
  };

  // Moves heights apart that are nearer than `gap`, within `low` and `high`; keeps their order.
  ct.spread = function (heights, gap, low, high) {
    const order = heights.map((height, at) => ({ height, at })).sort((a, b) => a.height - b.height);
    for (let pass = 0; pass < 40; pass++) {
      for (let at = 1; at < order.length; at++) {
        const short = gap - (order[at].height - order[at - 1].height);
        if (short > 0) {
          order[at].height += short / 2;
          order[at - 1].height -= short / 2;
        }
      }
      for (let at = 0; at < order.length; at++) {
        order[at].height = Math.max(low + at * gap, Math.min(high - (order.length - 1 - at) * gap, order[at].height));
      }
    }
    const placed = [];
    for (const { height, at } of order) placed[at] = height;
    return placed;
  };

  // A rough width of a text in pixels, for a font of `size`: enough to place labels.
  ct.wide = (text, size = 13) => [...String(text)].length * size * 0.6;
})((window.chronotope = window.chronotope || {}));
