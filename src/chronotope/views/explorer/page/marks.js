// What can be pointed at in a chart: a tip under the pointer or the focus, and one Tab stop a chart with arrow keys inside.
(function (ct) {
  "use strict";

  const tip = ct.h("div", { id: "tip", "aria-hidden": "true", hidden: true });
  const told = new WeakMap();
  let shown = null;

  // Gives a mark its tip: lines of text, the first the strongest. The same text is its label for screen readers.
  ct.tell = function (mark, lines) {
    told.set(mark, lines.filter(Boolean));
    mark.classList.add("mark");
    mark.setAttribute("aria-label", lines.filter(Boolean).join("; "));
    if (shown === mark) show(mark);
    return mark;
  };

  // What a mark does when it is clicked, or when Enter or the space bar is pressed on it.
  ct.act = function (mark, action) {
    mark.setAttribute("role", action ? "button" : "img");
    mark.onclick = action ? () => void action() : null;
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
    shown = mark;
    ct.replace(
      tip,
      lines.map((line, at) => ct.h(at ? "span" : "strong", null, line)),
    );
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.max(8, Math.min(window.innerWidth - size.width - 8, box.left + box.width / 2 - size.width / 2));
    const above = box.top - size.height - 10;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 8 ? above : box.bottom + 10}px`;
  }

  function hide() {
    shown = null;
    tip.hidden = true;
  }

  const markOf = (event) => (event.target instanceof Element ? event.target.closest(".mark") : null);

  document.addEventListener("pointerover", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
    else if (shown) hide();
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    // Focus that a pointer brings shows its tip by the pointer already.
    if (mark && mark.matches(":focus-visible")) show(mark);
    else hide();
  });
  document.addEventListener("scroll", hide, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("DOMContentLoaded", () => document.body.append(tip));
  window.addEventListener("hashchange", hide);

  const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

  // One Tab stop for all marks of a chart; arrow keys go to the nearest mark in their direction.
  ct.roving = function (svg) {
    svg.addEventListener("keydown", (event) => {
      const direction = DIRECTIONS[event.key];
      const from = markOf(event);
      if (!direction || !from) return;
      event.preventDefault();
      const all = marks(svg);
      const target = nearest(from, all, direction);
      if (target) {
        focusable(all, target);
        target.focus();
      }
    });
  };

  // After drawing: exactly one mark takes part in the Tab order.
  ct.settle = function (svg) {
    const all = marks(svg);
    const active = all.find((mark) => mark.getAttribute("tabindex") === "0") || all[0];
    if (active) focusable(all, active);
  };

  const marks = (svg) => [...svg.querySelectorAll(".mark:not(.leave, .leave *)")];

  function focusable(all, active) {
    for (const mark of all) {
      const index = mark === active ? "0" : "-1";
      if (mark.getAttribute("tabindex") !== index) mark.setAttribute("tabindex", index);
    }
  }

  function nearest(from, all, [dx, dy]) {
    const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];
    const [x, y] = middle(from.getBoundingClientRect());
    let best = null;
    let least = Infinity;
    for (const mark of all) {
      if (mark === from) continue;
      const [mx, my] = middle(mark.getBoundingClientRect());
      const ahead = (mx - x) * dx + (my - y) * dy;
      const aside = Math.abs((mx - x) * dy) + Math.abs((my - y) * dx);
      if (ahead < 1 || aside > ahead * 3) continue;
      const distance = ahead + aside * 2;
      if (distance < least) [best, least] = [mark, distance];
    }
    return best;
  }
})((window.chronotope = window.chronotope || {}));
