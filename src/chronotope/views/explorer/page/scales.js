// From values to pixels: scales, round numbers on axes, columns that fit, labels that do not overlap.
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

  /** The positions of labels to show if each needs `wide` of `width` pixels: every nth, and always the last. */
  ct.every = function (count, width, wide) {
    const step = Math.max(1, Math.ceil((count * wide) / Math.max(width, 1)));
    const shown = new Set();
    for (let at = count - 1; at >= 0; at -= step) shown.add(at);
    return shown;
  };

  /** At most `most` of `count` columns: the first, the last, the kept ones, others at even distances. */
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

  /** Move heights at least `gap` apart, in the same order: the mean of pushing all down and all up. */
  ct.spread = function (heights, gap, low, high) {
    const order = [...heights.keys()].sort((a, b) => heights[a] - heights[b]);
    const [down, up, last] = [[...heights], [...heights], order.length - 1];
    order.forEach((one, at) => (down[one] = Math.max(low + at * gap, heights[one], at ? down[order[at - 1]] + gap : low)));
    order.reverse().forEach((one, at) => (up[one] = Math.min(high - at * gap, heights[one], at ? up[order[at - 1]] - gap : high)));
    order.reverse();
    return heights.map((_, one) => Math.max(low + order.indexOf(one) * gap, Math.min(high - (last - order.indexOf(one)) * gap, (down[one] + up[one]) / 2)));
  };

  /** The width of a text in pixels, as if it were bold. */
  const pen = document.createElement("canvas").getContext("2d");
  ct.wide = (text, size = 13) => {
    pen.font = `600 ${size}px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(String(text)).width;
  };
}
