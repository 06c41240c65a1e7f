// From values to pixels: scales, round numbers on axes, columns that fit, labels that do not overlap.
// @ts-check
"use strict";

{
  ct.linear = function (from, to, start, end) {
    const span = to - from || 1;
    return (value) => start + ((value - from) / span) * (end - start);
  };

  /** Round numbers between two values, about `count` of them and at least three. */
  ct.ticks = function (low, high, count = 4) {
    for (let wanted = count; ; wanted++) {
      const raw = (high - low || 1) / wanted;
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999);
      const ticks = [];
      for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++)
        ticks.push(Number((at * step).toPrecision(12)));
      if (ticks.length > 2 || wanted > 64) return ticks;
    }
  };

  /** The least and the greatest value, at least `least` apart. */
  ct.extent = function (values, least = 0) {
    const known = values.filter(ct.known);
    if (!known.length) return [0, 1];
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const short = Math.max(0, least - (high - low)) / 2;
    return [low - short, high + short];
  };

  /** Which of `count` labels are shown when each needs `wide` of `width` pixels: every nth, and always the last. */
  ct.every = function (count, width, wide) {
    const step = Math.max(1, Math.ceil((count * wide) / Math.max(width, 1)));
    const shown = new Set();
    for (let at = count - 1; at >= 0; at -= step) shown.add(at);
    return shown;
  };

  /**
   * At most `most` of `count` columns: the first, the last, those to keep, others at even distances.
   */
  ct.columns = function (count, most, keep = []) {
    if (count <= most) return Array.from({ length: count }, (_, at) => at);
    const chosen = new Set([0, count - 1, ...keep.filter((at) => at >= 0)].slice(0, most + 3));
    const slots = Math.max(most, 3, chosen.size);
    while (chosen.size < slots) {
      // The middle of the widest gap.
      const sorted = [...chosen].sort((a, b) => a - b);
      let best = 0;
      for (let at = 1; at + 1 < sorted.length; at++)
        if (sorted[at + 1] - sorted[at] > sorted[best + 1] - sorted[best]) best = at;
      chosen.add(Math.floor((sorted[best] + sorted[best + 1]) / 2));
    }
    return [...chosen].sort((a, b) => a - b);
  };

  /** Move heights apart that are nearer than `gap`, in their order. */
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
      for (let at = 0; at < order.length; at++)
        order[at].height = Math.max(low + at * gap, Math.min(high - (order.length - 1 - at) * gap, order[at].height));
    }
    /** @type {number[]} */
    const placed = [];
    for (const { height, at } of order) placed[at] = height;
    return placed;
  };

  /** The width of a text in pixels, as if it were bold. */
  const pen = document.createElement("canvas").getContext("2d");
  ct.wide = (text, size = 13) => {
    pen.font = `600 ${size}px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(String(text)).width;
  };
}
