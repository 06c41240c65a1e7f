// What charts over conditions share: the labels below, as many as fit, and the band behind the condition looked at.
(function (ct) {
  "use strict";

  const SIZE = 12;
  const GAP = 8;

  /**
   * @param parent the group for the labels
   * @param options
   *   conditions, name   the labels, and how each is written
   *   x, y, right, step  from a position to pixels; the height; the right end; how far apart two positions are
   *   now                the position looked at, or -1
   *   choose             what a click on a label does: (label) => void, or nothing
   */
  ct.conditionLabels = function (parent, { conditions, name, x, y, right, step, now, choose }) {
    const items = conditions.map((label, at) => {
      const text = name(label);
      const half = ct.wide(text, SIZE) / 2;
      return { label, at, text, half, middle: Math.max(half, Math.min(right - half, x(at))) };
    });
    const widest = 2 * Math.max(...items.map((item) => item.half)) + GAP;
    const shown = ct.every(items.length, step * items.length, widest);
    // A label that would touch the one looked at gives way to it.
    const covered = ({ at, middle, half }) =>
      now >= 0 && at !== now && Math.abs(middle - items[now].middle) < half + items[now].half + GAP;
    ct.join(
      parent,
      items.filter((item) => shown.has(item.at) || item.at === now),
      (item) => item.label,
      () => ct.s("text", { "text-anchor": "middle" }),
      (element, item) => {
        element.setAttribute("class", `label${item.at === now ? " now" : covered(item) ? " away" : ""}`);
        element.textContent = item.text;
        ct.move(element, item.middle, y);
        element.onclick = choose ? () => void choose(item.label) : null;
      },
    );
  };

  const WIDEST = 44;

  /**
   * @param parent the group for the band
   * @param options
   *   now        the position looked at, or -1
   *   x, step    from a position to pixels; how far apart two positions are
   *   top, tall  where the plot begins, and its height; the band reaches down to the labels
   */
  ct.nowBand = function (parent, { now, x, step, top, tall }) {
    ct.join(
      parent,
      now < 0 ? [] : [now],
      () => "now",
      () => ct.s("g", { class: "band" }, ct.s("rect", { rx: 6 })),
      (group) => {
        const wide = Math.min(step, WIDEST);
        ct.move(group, x(now) - wide / 2, top - 8);
        ct.set(group.firstChild, { width: wide, height: tall + 38 });
      },
    );
  };
})((window.chronotope = window.chronotope || {}));
