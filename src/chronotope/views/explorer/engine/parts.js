// The parts of the data, each a script that hands itself over when it is loaded.
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const given = new Map(); // name → data
  const loading = new Map(); // name → promise

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

  // Lets the page breathe in the middle of long work.
  let last = 0;
  lib.breathe = function () {
    const now = Date.now();
    if (now - last < 40) return undefined;
    last = now;
    return new Promise((resolve) => setTimeout(resolve, 0));
  };
})(window.chronotope);
