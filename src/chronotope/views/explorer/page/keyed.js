// Keyed elements: items that stay keep their element, which moves; new elements fade in, old ones fade out.
"use strict";

{
  const LEAVING = 260;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {WeakMap<Element, Map<any, any>>} */
  const kept = new WeakMap();

  /** Make the children of an element follow a list of items; nothing else may add children. */
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
      // An element in the right place is not moved in the tree: it would lose its focus and its transition.
      const wanted = skip(previous ? previous.nextElementSibling : parent.firstElementChild);
      if (element !== wanted) parent.insertBefore(element, wanted);
      after.set(name, element);
      previous = element;
    }
    for (const element of before.values()) leave(element);
    kept.set(parent, after);
  };

  function skip(element) {
    while (element && element.classList.contains("leave")) element = element.nextElementSibling;
    return element;
  }

  // New elements wait for one frame together: a chart may have thousands.
  /** @type {Element[]} */
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
    if (calm.matches) return element.remove();
    element.classList.add("leave");
    element.setAttribute("aria-hidden", "true");
    for (const mark of [element, ...element.querySelectorAll("a, [tabindex]")]) mark.setAttribute("tabindex", "-1");
    setTimeout(() => element.remove(), LEAVING);
  }
}
