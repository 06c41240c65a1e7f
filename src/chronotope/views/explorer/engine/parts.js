// The parts of the data, each a script that hands itself over when it is loaded.
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const given = new Map(); // name → data
  const loading = new Map(); // name → promise
  const SLICE = 25; // milliseconds of work between two breaths

  chronotope.part = function (name, data) {
    given.set(name, data);
  };

  // What is decoded is kept elsewhere; the text itself need not be.
  lib.taken = function (name) {
    const data = given.get(name);
    given.delete(name);
    return data;
  };

  function addScript(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onload = resolve;
      script.onerror = () => {
        reject(new chronotope.AnswerError("unavailable", `This folder lacks its part data/${name}.js.`));
      };
      document.head.append(script);
    });
  }

  // A part of the data; read once, turned by `decode` into what is kept.
  lib.load = function (name, decode = (data) => data) {
    if (!loading.has(name)) {
      const load = chronotope.loadPart || addScript;
      const promise = Promise.resolve(load(name)).then(() => decode(lib.taken(name)));
      promise.catch(() => loading.delete(name));
      loading.set(name, promise);
    }
    return loading.get(name);
  };

  // Lets the page breathe in the middle of long work, which ends here when nobody waits for it any more.
  let last = 0;
  lib.breathe = async function (signal) {
    if (Date.now() - last >= SLICE) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      last = Date.now();
    }
    if (signal && signal.aborted) throw new DOMException("given up", "AbortError");
  };
})(window.chronotope);
