// Bars over conditions: how often a word occurs, with the interval where it is known.
(function (ct) {
  "use strict";

  const TALL = 110;

  /**
   * @param options
   *   svg, width, conditions, now, axis, choose, name   as for lines
   *   bars  [{value, low, high, lines}]  one a condition; `lines` is the tip
   */
  ct.bars = function ({ svg, width, conditions, now, bars, axis, choose, name = ct.format.label }) {
    const [left, right, top] = [38, 16, 30];
    const bottom = top + TALL;
    svg.setAttribute("height", bottom + 34);
    const most = Math.max(
      1e-9,
      ...bars.map((bar) => (ct.known(bar.high) ? Math.min(bar.high, (bar.value || 0) * 2.5) : bar.value || 0)),
    );
    const y = ct.linear(0, most, bottom, top);
    const step = (width - left - right) / Math.max(conditions.length, 1);
    const x = (at) => left + step * (at + 0.5);
    const wide = Math.max(1.5, Math.min(38, step * 0.62));
    const layer = ct.layers(svg, ["now", "grid", "bars", "labels", "names"]);

    ct.nowBand(layer.now, { now, x, step, top, tall: TALL });
    ct.join(
      layer.grid,
      ct.ticks(0, most, 3).filter((value) => value > 0),
      String,
      () => ct.s("g", { class: "grid" }, ct.s("line"), ct.s("text", { "text-anchor": "end", x: -8, y: 4 })),
      (group, value) => {
        ct.move(group, left, y(value));
        ct.set(group.querySelector("line"), { x2: width - right - left });
        group.querySelector("text").textContent = ct.format.rate(value).replace(/\.0$/, "");
      },
    );
    ct.join(
      layer.bars,
      bars.map((bar, at) => ({ ...bar, at })),
      (bar) => conditions[bar.at],
      () =>
        ct.s(
          "g",
          null,
          ct.s("rect", { rx: 2 }),
          ct.s("line", { class: "whisker" }),
          ct.s("rect", { class: "hit only-here" }),
        ),
      (group, bar) => {
        const [rect, whisker, hit] = group.children;
        group.setAttribute("class", `bar${bar.at === now ? " now" : ""}`);
        ct.move(group, x(bar.at), 0);
        const height = Math.max(0, bottom - y(bar.value || 0));
        ct.set(rect, { x: -wide / 2, y: bottom - height, width: wide, height });
        const known = ct.known(bar.low) && ct.known(bar.high) && step > 9;
        ct.set(whisker, {
          y1: known ? Math.max(top - 6, y(bar.high)) : 0,
          y2: known ? y(bar.low) : 0,
          visibility: known ? null : "hidden",
        });
        ct.set(hit, { x: -step / 2, y: top, width: step, height: TALL });
        ct.tell(group, bar.lines);
        ct.act(group, choose && (() => choose(conditions[bar.at])));
      },
    );
    ct.conditionLabels(layer.labels, { conditions, name, x, y: bottom + 22, right: width, step, now, choose });
    ct.join(
      layer.names,
      [axis],
      () => "axis",
      () => ct.s("text", { class: "axis", y: 14 }),
      (text) => {
        text.textContent = axis;
      },
    );
  };
})((window.chronotope = window.chronotope || {}));
