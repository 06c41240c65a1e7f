// Making elements. Words and sentences of the corpus only ever become text nodes and attribute values, never markup.
(function (ct) {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false || child === "") continue;
      element.append(child instanceof Node ? child : String(child));
    }
    return element;
  }

  ct.h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  ct.s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  // Sets attributes of an element that is there already; null takes one away.
  ct.set = function (element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    return element;
  };

  ct.replace = function (element, ...children) {
    element.replaceChildren(
      ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
    );
    return element;
  };

  // Puts a group of an SVG somewhere. The style moves by a transition; the attribute is what an exported file keeps.
  ct.move = function (element, x, y) {
    const at = `${round(x)}px, ${round(y)}px`;
    element.style.transform = `translate(${at})`;
    element.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
    return element;
  };

  // Gives a path its shape; where the browser can, the old shape flows into the new one.
  ct.shape = function (element, d) {
    element.setAttribute("d", d);
    if (d) element.style.setProperty("d", `path("${d}")`);
    else element.style.removeProperty("d");
    return element;
  };

  // Waits until the browser has painted what is there; not for ever, since a page that nobody sees is not painted.
  ct.painted = () =>
    new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done));
      setTimeout(done, 100);
    });

  // Not every browser tells when it has nothing else to do.
  window.requestIdleCallback = window.requestIdleCallback || ((work) => setTimeout(work, 50));
  window.cancelIdleCallback = window.cancelIdleCallback || clearTimeout;

  function round(value) {
    return Math.round(value * 100) / 100;
  }

  ct.round = round;
})((window.chronotope = window.chronotope || {}));
