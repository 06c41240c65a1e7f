// Lines over conditions: one or several series, bands where intervals are given, change points, the condition looked at.
(function (ct) {
  "use strict";

  const PLOT_HEIGHT = 230;

  /**
   * Draws series over conditions.
   *
   * @param options
   *   svg, width, conditions, now   where to draw; the labels; the position of the condition that is looked at (or -1)
   *   series    [{name, values, low, high, support, color: 0…4}]
   *   ordered   whether conditions have an order (then they are joined)
   *   changes   [{at, text}]  a dashed line before position `at`
   *   axis      what the values are, in a few words
   *   domain    [low, high] or null
   *   height    of the plot
   *   format    how a value is written
   *   zero      whether the line at 0 is drawn stronger
   *   choose    what happens when a condition is chosen: (label) => void
   *   name      how a condition is called
   */
  ct.lines = function (options) {
    const { svg, width, conditions, now, series, ordered = true, changes = [], axis } = options;
    const format = options.format || ct.format.number;
    const name = options.name || ct.format.label;
    const tall = options.height || PLOT_HEIGHT;
    const named = series.length > 1;
    const longest = named ? Math.max(...series.map((one) => ct.wide(one.name, 13))) : 0;
    const right = named ? Math.min(longest + 18, width * 0.3) : 16;
    const left = 38;
    const top = changes.length ? 52 : 30;
    const height = top + tall + 34;
    svg.setAttribute("height", height);

    const all = series.flatMap((one) => [...one.values, ...(one.low || []), ...(one.high || [])]);
    const [low, high] = options.domain || ct.extent(all, 0.08);
    const pad = options.domain ? 0 : (high - low) * 0.08;
    const bottom = top + tall;
    const y = ct.linear(low - pad, high + pad, bottom, top);
    const count = conditions.length;
    const step = (width - left - right) / Math.max(count, 1);
    const x = (at) => left + step * (at + 0.5);
    const layer = ct.layers(svg, ["now", "frame", "bands", "changes", "lines", "points", "names"]);

    ct.nowBand(layer.now, { now, x, step, top, tall });

    drawFrame(layer.frame, {
      x,
      y,
      left,
      right: width - right,
      top,
      bottom,
      low: low - pad,
      high: high + pad,
      conditions,
      step,
      axis,
      now,
      format,
      zero: options.zero,
      name,
      choose: options.choose,
    });
    drawChanges(layer.changes, { changes, x, step, top, bottom, width });

    ct.join(
      layer.bands,
      ordered ? series.filter(hasBand) : [],
      (one) => one.name,
      () => ct.s("path"),
      (path, one) => {
        path.setAttribute("class", `area color-${one.color}`);
        ct.shape(path, bandOf(one, x, y));
      },
    );
    ct.join(
      layer.lines,
      ordered ? series : [],
      (one) => one.name,
      () => ct.s("path"),
      (path, one) => {
        path.setAttribute("class", `line color-${one.color}`);
        ct.shape(path, pathOf(one.values, x, y));
      },
    );

    const points = series.flatMap((one) =>
      one.values.map((value, at) => ({ one, at, value })).filter((point) => ct.known(point.value)),
    );
    ct.join(
      layer.points,
      points,
      (point) => `${point.one.name}|${conditions[point.at]}`,
      (point) => {
        const whisker = !ordered && hasBand(point.one) ? ct.s("line", { class: "whisker" }) : null;
        return ct.s("g", null, whisker, ct.s("circle"), ct.s("circle", { class: "hit only-here", r: 11 }));
      },
      (group, point) => {
        const { one, at, value } = point;
        const support = one.support ? one.support[at] : null;
        group.setAttribute("class", `point color-${one.color}${at === now ? " now" : ""}`);
        ct.move(group, x(at), y(value));
        const dot = group.querySelector("circle");
        ct.set(dot, {
          r: at === now ? 6 : ordered && count > 40 ? 2.2 : 4,
          "fill-opacity": ct.round(ct.trust(support)),
        });
        const whisker = group.querySelector("line");
        if (whisker && ct.known(one.low[at]) && ct.known(one.high[at]))
          ct.set(whisker, { y1: y(one.low[at]) - y(value), y2: y(one.high[at]) - y(value) });
        ct.tell(group, [
          `${named ? `${one.name}, ` : ""}${name(conditions[at])}: ${format(value)}`,
          support === null || support === undefined ? null : `the word occurs here ${ct.format.times(support)}`,
        ]);
        ct.act(group, options.choose && (() => options.choose(conditions[at])));
      },
    );

    drawNames(layer.names, named ? series : [], { y, count, top, bottom, width, right });
  };

  const hasBand = (one) => Boolean(one.low) && one.low.some((value, at) => ct.known(value) && ct.known(one.high[at]));

  function stretches(values) {
    const found = [];
    let run = [];
    values.forEach((value, at) => {
      if (ct.known(value)) run.push(at);
      else if (run.length) {
        found.push(run);
        run = [];
      }
    });
    if (run.length) found.push(run);
    return found;
  }

  const spot = (x, y) => `${ct.round(x)} ${ct.round(y)}`;

  // Gaps stay gaps: a line never passes through a condition without a value.
  function pathOf(values, x, y) {
    return stretches(values)
      .map((run) => run.map((at, first) => `${first ? "L" : "M"}${spot(x(at), y(values[at]))}`).join(""))
      .join("");
  }

  function bandOf(one, x, y) {
    const both = one.low.map((value, at) => (ct.known(value) && ct.known(one.high[at]) ? value : null));
    return stretches(both)
      .map((run) => {
        const there = run.map((at, first) => `${first ? "L" : "M"}${spot(x(at), y(one.high[at]))}`).join("");
        const back = [...run]
          .reverse()
          .map((at) => `L${spot(x(at), y(one.low[at]))}`)
          .join("");
        return `${there}${back}Z`;
      })
      .join("");
  }

  function drawFrame(
    parent,
    { x, y, left, right, top, bottom, low, high, conditions, step, axis, now, format, zero, name, choose },
  ) {
    const lines = ct.ticks(low, high, 4).map((value) => ({ value }));
    const digits = Math.max(...lines.map(({ value }) => (String(value).split(".")[1] || "").length), 1);
    const group = (kind) => {
      let found = parent.querySelector(`:scope > g.${kind}`);
      if (!found) parent.append((found = ct.s("g", { class: kind })));
      return found;
    };
    ct.join(
      group("grid"),
      lines,
      (line) => line.value,
      () => ct.s("g", null, ct.s("line"), ct.s("text", { "text-anchor": "end", x: -8, y: 4 })),
      (element, line) => {
        ct.move(element, left, y(line.value));
        ct.set(element.querySelector("line"), { x2: right - left });
        element.classList.toggle("zero", Boolean(zero) && line.value === 0);
        element.querySelector("text").textContent = line.value === 0 ? "0" : format(line.value, digits);
      },
    );
    ct.conditionLabels(group("labels"), { conditions, name, x, y: bottom + 22, right: right + 8, step, now, choose });
    let title = parent.querySelector("text.axis");
    if (!title) parent.append((title = ct.s("text", { class: "axis", x: 0 })));
    title.setAttribute("y", top - (top > 40 ? 36 : 16));
    title.textContent = axis;
  }

  function drawChanges(parent, { changes, x, step, top, bottom, width }) {
    ct.join(
      parent,
      changes,
      (change) => change.text,
      () => ct.s("g", { class: "change" }, ct.s("line"), ct.s("text", { y: -6 })),
      (group, change) => {
        const at = x(change.at) - step / 2;
        ct.move(group, at, top);
        ct.set(group.querySelector("line"), { y1: -2, y2: bottom - top });
        const text = group.querySelector("text");
        const room = ct.wide(change.text, 12);
        text.setAttribute("text-anchor", at + room / 2 > width ? "end" : at < room / 2 ? "start" : "middle");
        text.textContent = change.text;
      },
    );
  }

  // Names at the right end of the lines instead of a legend.
  function drawNames(parent, series, { y, count, top, bottom, right, width }) {
    const ends = series.map((one) => {
      let at = count - 1;
      while (at >= 0 && !ct.known(one.values[at])) at--;
      return at < 0 ? null : y(one.values[at]);
    });
    const shown = series.map((one, at) => ({ one, height: ends[at] })).filter((item) => item.height !== null);
    const heights = ct.spread(
      shown.map((item) => item.height),
      18,
      top + 6,
      bottom - 4,
    );
    ct.join(
      parent,
      shown,
      (item) => item.one.name,
      () => ct.s("text", { "dominant-baseline": "central" }),
      (text, item) => {
        text.setAttribute("class", `name color-${item.one.color}`);
        text.textContent = ct.format.clip(item.one.name, Math.max(4, Math.floor((right - 14) / 7.4)));
        ct.move(text, width - right + 8, heights[shown.indexOf(item)]);
      },
    );
  }
})((window.chronotope = window.chronotope || {}));
