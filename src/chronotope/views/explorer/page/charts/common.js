// Shared by the charts: layers, labels of conditions, the band behind the chosen condition, faint marks, links.
"use strict";

{
  const SIZE = 12;
  const GAP = 8;

  /** The layers of a chart, made once, from back to front. */
  ct.layers = function (svg, names) {
    return Object.fromEntries(
      names.map((name) => {
        let layer = svg.querySelector(`:scope > g[data-layer="${name}"]`);
        if (!layer) svg.append((layer = ct.s("g", { "data-layer": name })));
        return [name, layer];
      }),
    );
  };

  /** The distinct values of a column, in order of appearance. */
  ct.distinct = (rows, column) => [...new Set(rows.map((row) => row[column]))];

  /** The same for a column of conditions, times or places, in the order of the model. */
  ct.labelsOf = function (rows, column) {
    const { conditions, times, places } = ct.about;
    const found = ct.distinct(rows, column);
    const order = [conditions.map((one) => one.label), times, places].find((all) => found.every((label) => all.includes(label)));
    return order ? found.sort((a, b) => order.indexOf(a) - order.indexOf(b)) : found;
  };

  /** Rows by the value of a column. */
  ct.groups = function (rows, column) {
    const found = new Map();
    for (const row of rows) {
      if (!found.has(row[column])) found.set(row[column], []);
      found.get(row[column]).push(row);
    }
    return found;
  };

  /** The time line of some conditions, with the bins between them that have no rows, so that a chart shows gaps. */
  ct.timeline = function (labels) {
    const { conditions, times } = ct.about;
    const all = conditions.map((one) => one.label);
    const places = new Set(labels.map((label) => (conditions[all.indexOf(label)] || { place: null }).place));
    const line = labels.every((label) => times.includes(label)) && !labels.every((label) => all.includes(label)) ? times
      : places.size === 1 ? conditions.filter((one) => places.has(one.place)).map((one) => one.label)
        : [];
    const at = labels.map((label) => line.indexOf(label));
    return at.length && !at.includes(-1) ? line.slice(Math.min(...at), Math.max(...at) + 1) : labels;
  };

  /** How often the word of a row occurs, for its tip. */
  ct.often = (row, chart) =>
    ct.about.counted && ct.known(row[chart.faint]) ? `occurs here ${ct.format.times(row[chart.faint])}` : null;

  /** A mark of fewer occurrences is drawn faint. */
  ct.ENOUGH = 5;
  ct.isFaint = (row, chart) => ct.about.counted && ct.known(row[chart.faint]) && row[chart.faint] < ct.ENOUGH;

  /** The opacity of the mark of a row. */
  ct.trust = (row, chart) => (ct.isFaint(row, chart) ? 0.28 : 1);

  ct.faintNote = (rows, chart) =>
    rows.some((row) => ct.isFaint(row, chart)) && "Faint: fewer than five occurrences.";

  /** The name of a column in a chart. */
  ct.columnName = (column) =>
    ({ per_million: "per million words", log_likelihood: "log-likelihood (G²)", log_ratio: "log ratio", apd: "mean distance of usages (APD)", corrected: "corrected for noise", value: "similarity with the other places" })[
      column
    ] || column.replace(/_/g, " ");

  const WORDS = new Set(["word", "neighbor", "equivalent", "collocate", "context", "other"]);
  const CONDITIONS = new Set(["condition", "time", "after", "before", "at", "against"]);

  /** The link or action of a label in a chart: a word opens its page, a condition or place is chosen. */
  ct.leads = function (column, value, state, row) {
    if (ct.about.places.includes(value) && (column === "place" || column === "other")) return state.acts ? { act: () => state.choosePlace(value) } : {};
    if (CONDITIONS.has(column)) return state.acts ? { act: () => state.choose(value) } : {};
    if (!WORDS.has(column)) return {};
    const here = row.condition && row.condition !== state.condition ? ct.placeOf(row.condition) : { at: state.at, place: state.place };
    return { href: ct.address.write("word", [value], here) };
  };

  /** Labels below a chart, as many as fit. */
  ct.conditionLabels = function (parent, { conditions, name, x, y, right, step, now, choose }) {
    const items = conditions.map((label, at) => {
      const text = name(label);
      const half = ct.wide(text, SIZE) / 2;
      return { label, at, text, half, middle: Math.max(half, Math.min(right - half, x(at))) };
    });
    const widest = 2 * Math.max(...items.map((item) => item.half)) + GAP;
    const shown = ct.every(items.length, step * items.length, widest);
    // A label that would touch that of the chosen condition is hidden.
    const covered = ({ at, middle, half }) =>
      now >= 0 && at !== now && Math.abs(middle - items[now].middle) < half + items[now].half + GAP;
    ct.texts(
      parent,
      items
        .filter((item) => shown.has(item.at) || item.at === now)
        .map((item) => ({ key: item.label, text: item.text, at: [item.middle, y], class: `label${item.at === now ? " now" : covered(item) ? " away" : ""}`, act: choose && (() => choose(item.label)) })),
      { "text-anchor": "middle" },
    );
  };

  /** Texts of a chart, each with its key, its place and its class. */
  ct.texts = (parent, items, attributes = {}) =>
    ct.join(parent, items, (item) => item.key, () => ct.s("text", { "dominant-baseline": "central", ...attributes }), (text, item) => {
      ct.set(text, { class: item.class });
      text.textContent = item.text;
      text.onclick = item.act || null;
      ct.move(text, item.at[0], item.at[1]);
    });

  /** The band behind the chosen condition, or none. */
  ct.band = (parent, box) =>
    ct.join(parent, box ? [box] : [], () => "now", () => ct.s("g", { class: "band" }, ct.s("rect", { rx: 6 })), (group, { x, y, width, height }) => {
      ct.move(group, x, y);
      ct.set(group.firstChild, { width, height });
    });
}
