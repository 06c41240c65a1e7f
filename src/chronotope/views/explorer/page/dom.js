// Making elements. Words and sentences of the corpus only ever become text nodes and attribute values, never markup.
"use strict";

{
  const SVG = "http://www.w3.org/2000/svg";
  const absent = (value) => value === null || value === undefined || value === false;

  // main.js fills the first two before any view is made.
  Object.assign(ct, { about: null, questions: {}, views: {}, charts: {} });

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on") && value) element.addEventListener(name.slice(2), value);
      else ct.set(element, { [name]: value });
    }
    element.append(...children.flat(Infinity).filter((child) => !absent(child) && child !== ""));
    return element;
  }

  /** Make an HTML element. */
  ct.h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

  /** Make an SVG element. */
  ct.s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  /** Set attributes of an existing element; null removes one. */
  ct.set = function (element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (absent(value)) element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    return element;
  };

  ct.replace = (element, ...children) =>
    element.replaceChildren(...children.flat(Infinity).filter((child) => !absent(child)));

  const round = (value) => Math.round(value * 100) / 100;
  ct.round = round;

  /** Position a group of an SVG: by its style, which has a transition, and by the attribute, which a saved file keeps. */
  ct.move = function (element, x, y) {
    element.style.transform = `translate(${round(x)}px, ${round(y)}px)`;
    element.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
  };

  /** Give a path its shape, with a transition from the old one if the browser supports it. */
  ct.shape = function (element, d) {
    element.setAttribute("d", d);
    if (d) element.style.setProperty("d", `path("${d}")`);
    else element.style.removeProperty("d");
  };

  /** Await answers of which only the newest counts; while one takes long, the element is busy and `slow` is called. */
  ct.newest = function (element, slow) {
    let turn = 0;
    return async (answer, done, failed) => {
      const mine = ++turn;
      const late = setTimeout(() => (element.setAttribute("aria-busy", "true"), slow()), ct.LATE);
      try {
        const found = await answer;
        if (mine === turn) done(found);
      } catch (error) {
        if (mine === turn && error.name !== "AbortError") failed(error);
      } finally {
        clearTimeout(late);
        if (mine === turn) element.removeAttribute("aria-busy");
      }
    };
  };

  /** Wait until the browser has painted, at most 100 ms: a hidden page is never painted. */
  ct.painted = () =>
    new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done));
      setTimeout(done, 100);
    });

  // Not every browser has idle callbacks.
  window.requestIdleCallback = window.requestIdleCallback || ((work) => setTimeout(work, 50));
  window.cancelIdleCallback = window.cancelIdleCallback || clearTimeout;
}
