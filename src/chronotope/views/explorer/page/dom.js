// Making elements. Words and sentences of the corpus only ever become text nodes and attribute values, never markup.
// @ts-check
"use strict";

var ct = window.ct || {};
{
  const SVG = "http://www.w3.org/2000/svg";
  const absent = (/** @type {any} */ value) => value === null || value === undefined || value === false;

  /** What the page knows about the model, and the registry of questions by name; main.js fills both first of all. */
  ct.about = /** @type {About} */ (null);
  ct.questions = /** @type {Record<string, Question>} */ ({});
  ct.views = /** @type {Record<string, ViewKind>} */ ({});
  ct.charts = /** @type {Record<string, Draw>} */ ({});

  /**
   * @template {Element} T
   * @param {T} element
   * @param {Record<string, any> | null} attributes
   * @param {any[]} children
   */
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (absent(value)) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
      if (absent(child) || child === "") continue;
      element.append(child instanceof Node ? child : String(child));
    }
    return element;
  }

  /**
   * Make an HTML element.
   * @template {keyof HTMLElementTagNameMap} T
   * @param {T} tag
   * @param {Record<string, any> | null} [attributes]
   * @param {...any} children
   */
  ct.h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

  /**
   * Make an SVG element.
   * @template {keyof SVGElementTagNameMap} T
   * @param {T} tag
   * @param {Record<string, any> | null} [attributes]
   * @param {...any} children
   */
  ct.s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  /**
   * Set attributes of an existing element; null removes one.
   * @template {Element} T
   * @param {T} element
   * @param {Record<string, any>} attributes
   */
  ct.set = function (element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (absent(value)) element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    return element;
  };

  /** @param {Element} element @param {...any} children */
  ct.replace = (element, ...children) =>
    element.replaceChildren(...children.flat(Infinity).filter((child) => !absent(child)));

  const round = (/** @type {number} */ value) => Math.round(value * 100) / 100;
  ct.round = round;

  /**
   * Put a group of an SVG somewhere. The style moves by a transition; the attribute is what a saved file keeps.
   * @param {any} element @param {number} x @param {number} y
   */
  ct.move = function (element, x, y) {
    element.style.transform = `translate(${round(x)}px, ${round(y)}px)`;
    element.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
  };

  /**
   * Give a path its shape; where the browser can, the old shape flows into the new one.
   * @param {any} element @param {string} d
   */
  ct.shape = function (element, d) {
    element.setAttribute("d", d);
    if (d) element.style.setProperty("d", `path("${d}")`);
    else element.style.removeProperty("d");
  };

  /** Wait until the browser has painted, but not for ever: a hidden page is never painted. */
  ct.painted = () =>
    new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done));
      setTimeout(done, 100);
    });

  // Not every browser says when it is idle.
  window.requestIdleCallback = window.requestIdleCallback || ((/** @type {any} */ work) => setTimeout(work, 50));
  window.cancelIdleCallback = window.cancelIdleCallback || clearTimeout;
}
