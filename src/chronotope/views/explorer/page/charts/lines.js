// Lines over conditions: a line for each value of `color`, bands for intervals, change points, the chosen condition.
// Places have no order: they are drawn as rows (ranked.js).
"use strict";

{
  const TALL = 230;
  const COLORS = 8;
  const FROM_ZERO = new Set(["per_million", "count", "position", "share"]);

  /** @typedef {{name: string, color: number, rows: Row[], values: number[], low: number[], high: number[]}} Series */

  /** @type {Draw} */
  ct.charts.lines = function (drawing) {
    const { svg, answer, chart, state, width, changes = [], colors } = drawing;
    const rows = answer.rows.filter((row) => ct.known(row[chart.y]));
    const labels = ct.labelsOf(answer.rows, chart.x);
    const axis = answer.facts.axis || ct.about.axis;
    const both = axis === "time × place" && state.within !== null && labels.some((label) => ct.placeOf(label).place !== state.within);
    if (axis === "place" || labels.length < 2) return ct.rankedPlaces(drawing);
    // Over time × place without a chosen place: one line for each place.
    const timeOf = (row) => (both ? ct.placeOf(row[chart.x]).at : row[chart.x]);
    // A pair of words has both names: two lines with the same second word are not one.
    const parts = [chart.color !== "word" && ct.distinct(answer.rows, "word").length > 1 && "word", (ct.distinct(answer.rows, chart.color).length > 1 || !both) && chart.color];
    const nameOf = (row) => [...parts.map((column) => column && ct.format.word(row[column] ?? "")), both && ct.placeOf(row[chart.x]).place].filter(Boolean).join(" · ");
    const conditions = ct.timeline(both ? ct.about.times : labels);
    const name = both ? ct.format.label : ct.namer(state);
    const now = both && state.acts ? conditions.indexOf(state.at) : ct.nowIn(conditions, state);

    const every = ct.groups(rows.map((row) => ({ ...row, "\u0000": nameOf(row) })), "\u0000");
    const most = Math.min(chart.limit || COLORS, COLORS);
    /** @type {Series[]} */
    const series = [...every].slice(0, most).map(([title, own], at) => {
      const byTime = new Map(own.map((row) => [timeOf(row), row]));
      const values = (column) => conditions.map((label) => (byTime.get(label) || {})[column] ?? null);
      const asked = colors ? colors.indexOf(own[0][chart.color]) : -1;
      return {
        name: title,
        color: asked >= 0 ? asked : at,
        rows: conditions.map((label) => byTime.get(label)),
        values: values(chart.y),
        low: chart.band ? values(chart.band[0]) : [],
        high: chart.band ? values(chart.band[1]) : [],
      };
    });

    const named = series.length > 1;
    const right = named ? Math.min(Math.max(...series.map((one) => ct.wide(one.name, 13))) + 18, width * 0.3) : 16;
    const left = 42;
    const top = changes.length ? 52 : 30;
    const bottom = top + TALL;
    svg.setAttribute("height", String(bottom + 34));
    svg.dataset.nearest = "yes";
    const zero = FROM_ZERO.has(chart.y);
    let [low, high] = ct.extent([...(zero ? [0] : []), ...series.flatMap((one) => [...one.values, ...one.low, ...one.high])], 0.08);
    // An interval that is much wider than the line would hide it.
    const highest = Math.max(...series.flatMap((one) => one.values.filter(ct.known)));
    if (chart.y === "per_million") high = Math.min(high, highest * 2.5 || 1);
    const pad = (high - low) * 0.06;
    [low, high] = [zero && low === 0 ? 0 : low - pad, high + pad];
    const y = ct.linear(low, high, bottom, top);
    const step = (width - left - right) / Math.max(conditions.length, 1);
    const x = (at) => left + step * (at + 0.5);
    const layer = ct.layers(svg, ["now", "grid", "labels", "axis", "bands", "changes", "lines", "points", "names"]);

    const wide = Math.min(step, 44);
    ct.band(layer.now, now < 0 ? null : { x: x(now) - wide / 2, y: top - 8, width: wide, height: TALL + 38 });
    const ticks = ct.ticks(low, high, 4);
    const digits = Math.max(...ticks.map((value) => (String(value).split(".")[1] || "").length));
    ct.join(
      layer.grid,
      ticks,
      String,
      () => ct.s("g", { class: "grid" }, ct.s("line"), ct.s("text", { "text-anchor": "end", x: -8, y: 4 })),
      (group, value) => {
        ct.move(group, left, y(value));
        ct.set(group.firstChild, { x2: width - right - left });
        group.classList.toggle("zero", zero && value === 0);
        group.lastChild.textContent = Math.abs(value) >= 100 ? ct.format.count(value) : ct.format.number(value, digits);
      },
    );
    ct.conditionLabels(layer.labels, { conditions, name, x, y: bottom + 22, right: width - right + 8, step, now, choose: state.acts ? state.choose : null });
    ct.texts(layer.axis, [{ key: "axis", text: ct.columnName(chart.y), at: [0, 10], class: "axis" }]);
    drawChanges(layer.changes, changes.map((one) => ({ ...one, at: conditions.indexOf(one.label) })).filter((one) => one.at >= 0), { x, step, top, width });

    const bands = series.filter((one) => one.low.some(ct.known));
    ct.join(layer.bands, bands, (one) => one.name, () => ct.s("path"), (path, one) => {
      path.setAttribute("class", `area color-${one.color}${bands.length > 3 ? " many" : ""}`);
      ct.shape(path, bandOf(one, x, (value) => Math.max(top - 6, y(value))));
    });
    ct.join(layer.lines, series, (one) => one.name, () => ct.s("path"), (path, one) => {
      path.setAttribute("class", `line color-${one.color}`);
      ct.shape(path, pathOf(one.values, x, y));
    });
    const points = series.flatMap((one) =>
      one.values.map((value, at) => ({ one, at, value, row: one.rows[at] })).filter((point) => ct.known(point.value)),
    );
    ct.join(
      layer.points,
      points,
      (point) => `${point.one.name}|${conditions[point.at]}`,
      () => ct.s("g", null, ct.s("circle", { class: "hot" }), ct.s("circle", { class: "hit only-here", r: 11 })),
      (group, { one, at, value, row }) => {
        group.setAttribute("class", `point color-${one.color}${at === now ? " now" : ""}${ct.isFaint(row, chart) ? " faint" : ""}`);
        ct.move(group, x(at), y(value));
        const size = conditions.length > 40 ? 2.4 : 4;
        ct.set(group.firstChild, { r: at === now ? size + 2 : size, "fill-opacity": ct.trust(row, chart) });
        const interval = ct.known(one.low[at]) ? `95 % interval ${ct.format.short(one.low[at])} to ${ct.format.short(one.high[at])}` : null;
        ct.tell(group, [
          `${named ? `${one.name}, ` : ""}${name(conditions[at])}: ${ct.format.short(value)}`,
          row.against ? `compared with ${ct.format.label(row.against)}` : null,
          interval,
          ct.often(row, chart),
        ]);
        ct.act(group, state.acts ? () => state.choose(row[chart.x]) : null);
      },
    );
    drawNames(layer.names, named ? series : [], { y, top, bottom, width, right });

    const gaps = series.some((one) => one.values.some((value, at) => !ct.known(value) && one.values.slice(0, at).some(ct.known) && one.values.slice(at).some(ct.known)));
    return [
      every.size > series.length && `Not drawn: ${ct.format.many(every.size - series.length, "more line")}; the table has all.`,
      gaps && "A gap in a line: there is no value for that time.",
      ct.faintNote(rows, chart),
    ];
  };

  function stretches(values) {
    const found = [];
    /** @type {number[]} */
    let run = [];
    for (let at = 0; at <= values.length; at++) {
      if (ct.known(values[at])) run.push(at);
      else if (run.length) {
        found.push(run);
        run = [];
      }
    }
    return found;
  }

  const spot = (x, y) => `${ct.round(x)} ${ct.round(y)}`;

  /** Gaps stay gaps. */
  const pathOf = (values, x, y) =>
    stretches(values)
      .map((run) => run.map((at, first) => `${first ? "L" : "M"}${spot(x(at), y(values[at]))}`).join(""))
      .join("");

  function bandOf({ low, high }, x, y) {
    const both = low.map((value, at) => (ct.known(value) && ct.known(high[at]) ? value : null));
    return stretches(both)
      .map((run) => {
        const there = run.map((at, first) => `${first ? "L" : "M"}${spot(x(at), y(high[at]))}`);
        const back = [...run].reverse().map((at) => `L${spot(x(at), y(low[at]))}`);
        return `${there.join("")}${back.join("")}Z`;
      })
      .join("");
  }

  function drawChanges(parent, changes, { x, step, top, width }) {
    ct.join(
      parent,
      changes,
      (change) => change.text,
      () => ct.s("g", { class: "change" }, ct.s("line"), ct.s("text", { y: -6 })),
      (group, change) => {
        const at = x(change.at) - step / 2;
        ct.move(group, at, top);
        ct.set(group.firstChild, { y1: -2, y2: TALL });
        const room = ct.wide(change.text, 12) / 2;
        group.lastChild.setAttribute("text-anchor", at + room > width ? "end" : at < room ? "start" : "middle");
        group.lastChild.textContent = change.text;
      },
    );
  }

  /** Names at the right end of the lines instead of a legend. */
  function drawNames(parent, series, { y, top, bottom, right, width }) {
    const shown = series
      .map((one) => ({ one, last: one.values.filter(ct.known).pop() }))
      .filter((item) => item.last !== undefined);
    const heights = ct.spread(shown.map((item) => y(item.last)), 18, top + 6, bottom - 4);
    const most = Math.max(4, Math.floor((right - 14) / 7.4));
    const names = shown.map(({ one }, at) => ({ key: one.name, text: ct.format.clip(one.name, most), at: [width - right + 8, heights[at]], class: `name color-${one.color}` }));
    ct.texts(parent, names);
  }
}
