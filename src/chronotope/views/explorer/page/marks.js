// The marks of a chart: a tip for the mark nearest to the pointer or in focus, and one Tab stop for each chart.
"use strict";

{
  const REACH = 60;
  const tip = ct.h("div", { id: "tip", "aria-hidden": "true", hidden: true });
  /** @type {WeakMap<Element, string[]>} */
  const told = new WeakMap();
  /** @type {Element | null} */
  let shown = null;

  /** Give a mark its tip, the first line strongest; screen readers read the same. */
  ct.tell = function (mark, lines) {
    const texts = /** @type {string[]} */ (lines.filter(Boolean));
    told.set(mark, texts);
    mark.classList.add("mark");
    mark.setAttribute("aria-label", texts.join("; "));
    if (shown === mark) show(mark);
  };

  /** Set the action of a click, Enter or the space bar on a mark. */
  ct.act = function (mark, action) {
    mark.setAttribute("role", action ? "button" : "img");
    mark.onclick = action && (() => action());
    mark.onkeydown = action
      ? (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          action();
        }
      : null;
  };

  function show(mark) {
    const lines = told.get(mark);
    if (!lines || !lines.length) return;
    if (shown && shown !== mark) shown.classList.remove("pointed");
    shown = mark;
    mark.classList.add("pointed");
    ct.replace(tip, lines.map((line, at) => ct.h(at ? "span" : "strong", null, line)));
    tip.hidden = false;
    const box = (mark.querySelector(".hot") || mark).getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.max(8, Math.min(window.innerWidth - size.width - 8, box.left + box.width / 2 - size.width / 2));
    const above = box.top - size.height - 10;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 8 ? above : box.bottom + 10}px`;
  }

  function hide() {
    if (shown) shown.classList.remove("pointed");
    shown = null;
    tip.hidden = true;
  }

  const markOf = (event) => (event.target instanceof Element ? event.target.closest(".mark") : null);
  const marks = (svg) => [...svg.querySelectorAll(".mark:not(.leave, .leave *)")];
  function middle(mark) {
    const box = (mark.querySelector(".hot") || mark).getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  }

  /** The mark under the pointer, else in a chart of points the nearest one within reach. */
  function pointedAt(event) {
    const chart = event.target instanceof Element ? event.target.closest("svg[data-nearest]") : null;
    return chart ? least(marks(chart), (x, y) => Math.hypot(x - event.clientX, y - event.clientY), REACH) : markOf(event);
  }

  /** The mark whose middle has the lowest cost; null if none is below the limit. */
  function least(all, cost, limit) {
    const costs = all.map((mark) => cost(...middle(mark)));
    const best = Math.min(...costs);
    return best < limit ? all[costs.indexOf(best)] : null;
  }

  let waiting = false;
  document.addEventListener("pointermove", (event) => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const mark = pointedAt(event);
      if (mark && mark !== shown) show(mark);
      else if (!mark && shown && !shown.matches(":focus-visible")) hide();
    });
  });
  document.addEventListener("click", (event) => {
    if (markOf(event)) return;
    const mark = /** @type {any} */ (pointedAt(event));
    if (mark && mark.onclick) mark.onclick();
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark && mark.matches(":focus-visible")) show(mark);
    else hide();
  });
  document.addEventListener("scroll", hide, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("DOMContentLoaded", () => document.body.append(tip));
  window.addEventListener("hashchange", hide);

  /** @type {Record<string, [number, number]>} */
  const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

  /** One Tab stop for all marks of a chart; arrow keys go to the nearest mark in their direction. */
  ct.roving = function (svg) {
    svg.addEventListener("keydown", (event) => {
      const direction = DIRECTIONS[event.key];
      const from = markOf(event);
      if (!direction || !from) return;
      event.preventDefault();
      const all = marks(svg);
      const target = /** @type {any} */ (nearest(from, all, direction));
      if (!target) return;
      focusable(all, target);
      target.focus();
    });
  };

  /** After drawing: exactly one mark is a Tab stop. */
  ct.settle = function (svg) {
    const all = marks(svg);
    const active = all.find((mark) => mark.getAttribute("tabindex") === "0") || all[0];
    if (active) focusable(all, active);
  };

  function focusable(all, active) {
    for (const mark of all) {
      const index = mark === active ? "0" : "-1";
      if (mark.getAttribute("tabindex") !== index) mark.setAttribute("tabindex", index);
    }
  }

  function nearest(from, all, [dx, dy]) {
    const [x, y] = middle(from);
    const cost = (mx, my) => {
      const ahead = (mx - x) * dx + (my - y) * dy;
      const aside = Math.abs((mx - x) * dy) + Math.abs((my - y) * dx);
      return ahead < 1 || aside > ahead * 3 ? Infinity : ahead + aside * 2;
    };
    return least(all, cost, Infinity);
  }
}
