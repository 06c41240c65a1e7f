// The address is the state: #/word/bank?at=1990&place=canada. Reading it, writing it, following it.
(function (ct) {
  "use strict";

  function decode(text) {
    try {
      return decodeURIComponent(text.replace(/\+/g, " "));
    } catch {
      return text;
    }
  }

  function parse(hash) {
    const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    const [view, ...rest] = path.split("/").filter((part) => part !== "");
    const params = {};
    for (const pair of (query || "").split("&")) {
      if (!pair) continue;
      const [name, value] = pair.split(/=(.*)/s);
      params[decode(name)] = decode(value || "");
    }
    return { view: view ? decode(view) : "start", words: rest.map(decode), params };
  }

  // Names of parameters are fixed by us; values may be anything.
  function write(view, words = [], params = {}) {
    const path = [view === "start" ? "" : view, ...words]
      .filter((part) => part !== "")
      .map(encodeURIComponent)
      .join("/");
    const query = Object.entries(params)
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join("&");
    return `#/${path}${query ? `?${query}` : ""}`;
  }

  ct.address = {
    parse,
    write,
    current: () => parse(window.location.hash),
    go(view, words, params) {
      window.location.hash = write(view, words, params);
    },
    // Changes parameters of the address and tells whether that changed anything. A slider that is being dragged replaces the address rather than adding to Back.
    change(params, replace = false) {
      const { view, words, params: before } = parse(window.location.hash);
      const after = write(view, words, { ...before, ...params });
      if (after === window.location.hash) return false;
      if (replace) {
        window.history.replaceState(null, "", after);
        window.dispatchEvent(new HashChangeEvent("hashchange"));
      } else window.location.hash = after;
      return true;
    },
  };
})((window.chronotope = window.chronotope || {}));
