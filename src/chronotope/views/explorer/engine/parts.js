// The data of the folder: scripts that register their content when loaded, with numbers as text (see export.py).
"use strict";

window.chronotope = window.chronotope || {};
{
  const { chronotope } = window;
  /** @type {any} */
  const lib = (chronotope.lib = {});
  const SLICE = 25; // milliseconds of work between two pauses
  /** @type {Map<string, any>} name → data */
  const given = new Map();
  /** @type {Map<string, Promise<any>>} */
  const loading = new Map();

  /** @param {string} name @param {any} data */
  chronotope.part = (name, data) => given.set(name, data);

  /** Return the data of a loaded part and forget it, since only the decoded data is kept. @param {string} name */
  lib.take = (name) => {
    const data = given.get(name);
    given.delete(name);
    return data;
  };

  /** @param {string} name @returns {Promise<void>} */
  function addScript(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onload = () => resolve();
      script.onerror = () => {
        reject(new chronotope.AnswerError("unavailable", `The file data/${name}.js is missing from this folder.`, 409));
      };
      document.head.append(script);
    });
  }

  /** Return a part of the data, read and decoded once. @param {string} name @param {(data: any) => any} decode */
  lib.load = (name, decode = (data) => data) => {
    let promise = loading.get(name);
    if (!promise) {
      const load = chronotope.loadPart || addScript;
      promise = Promise.resolve(load(name)).then(() => decode(lib.take(name)));
      promise.catch(() => loading.delete(name));
      loading.set(name, promise);
    }
    return promise;
  };

  /** Let the page paint during long work; throw if the signal is aborted. @param {AbortSignal} [signal] */
  lib.pause = async (signal) => {
    if (Date.now() - lastPause >= SLICE) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      lastPause = Date.now();
    }
    if (signal && signal.aborted) throw new DOMException("given up", "AbortError");
  };
  let lastPause = 0;

  /** Return the numbers that were packed as text (see export.py). @param {string} text @param {any} Type */
  lib.unpack = async (text, Type = Int32Array) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Type(await new Response(stream).arrayBuffer());
  };
}
