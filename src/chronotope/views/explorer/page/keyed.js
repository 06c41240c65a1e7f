// Keyed elements: a thing that is still there keeps its element and moves; a new one fades in; one that is gone fades out.
(function (ct) {
  "use strict";

  const LEAVING = 260;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const kept = new WeakMap();

  /**
   * Makes the children of `parent` follow `items`.
   *
   * @param parent an element that only this function fills
   * @param items the things to show, in order
   * @param key from an item its name, unique among the items
   * @param create from an item a new element
   * @param update called with element and item, for new and old ones
   */
  ct.join = function (parent, items, key, create, update) {
    const before = kept.get(parent) || new Map();
    const after = new Map();
    let previous = null;
    for (const item of items) {
      const name = key(item);
      if (after.has(name)) continue;
      let element = before.get(name);
      if (element) before.delete(name);
      else {
        element = create(item);
        enter(element);
      }
      update(element, item);
      // An element that stands right is not touched: moving it in the tree would lose its focus and its transition.
      const wanted = previous ? next(previous) : first(parent);
      if (element !== wanted) parent.insertBefore(element, wanted);
      after.set(name, element);
      previous = element;
    }
    for (const element of before.values()) leave(element);
    kept.set(parent, after);
  };

  function first(parent) {
    return skip(parent.firstElementChild);
  }

  function next(element) {
    return skip(element.nextElementSibling);
  }

  function skip(element) {
    while (element && element.classList.contains("leave")) element = element.nextElementSibling;
    return element;
  }

  // All that enter together wait for one frame together: a chart may have thousands of them.
  let entering = [];
  function enter(element) {
    if (calm.matches) return;
    element.classList.add("enter");
    entering.push(element);
    if (entering.length > 1) return;
    requestAnimationFrame(() => {
      const entered = entering;
      entering = [];
      requestAnimationFrame(() => entered.forEach((one) => one.classList.remove("enter")));
    });
  }

  function leave(element) {
    if (calm.matches) {
      element.remove();
      return;
    }
    element.classList.add("leave");
    element.setAttribute("aria-hidden", "true");
    if (element.matches("a, [tabindex]")) element.setAttribute("tabindex", "-1");
    setTimeout(() => element.remove(), LEAVING);
  }

  const slicing = new WeakMap();
  const SLICE = 8;

  /**
   * Does pieces of work a few milliseconds at a time, so that the page answers meanwhile.
   *
   * @param owner what the work is done to: newer work for it takes the place of what is left of older work
   * @param pieces functions, called in order
   */
  ct.inSlices = function (owner, pieces) {
    window.cancelIdleCallback(slicing.get(owner));
    const left = pieces[Symbol.iterator]();
    const next = () => {
      const end = performance.now() + SLICE;
      for (let piece = left.next(); !piece.done; piece = left.next()) {
        piece.value();
        if (performance.now() < end) continue;
        slicing.set(owner, window.requestIdleCallback(next, { timeout: 100 }));
        return;
      }
    };
    next();
  };

  // Rows of a list glide to their new places (first, last, invert, play).
  ct.glide = function (parent, change) {
    if (calm.matches) {
      change();
      return;
    }
    const before = new Map([...parent.children].map((child) => [child, child.getBoundingClientRect().top]));
    change();
    for (const child of parent.children) {
      if (!before.has(child) || child.classList.contains("leave")) continue;
      const shift = before.get(child) - child.getBoundingClientRect().top;
      if (Math.abs(shift) < 1) continue;
      child.animate([{ transform: `translateY(${shift}px)` }, { transform: "none" }], {
        duration: 380,
        easing: "cubic-bezier(.2, .7, .2, 1)",
      });
    }
  };
})((window.chronotope = window.chronotope || {}));
