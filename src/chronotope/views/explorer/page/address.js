// The address holds the state: #/word/bank?at=1990&place=canada. It is read and written here.
"use strict";

{
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
    /** @type {Record<string, string>} */
    const params = {};
    for (const pair of (query || "").split("&")) {
      if (!pair) continue;
      const [name, value] = pair.split(/=(.*)/s);
      params[decode(name)] = decode(value || "");
    }
    return { view: view ? decode(view) : "start", words: rest.map(decode), params };
  }

  function write(view, words = [], params = {}) {
    const path = [view === "start" ? "" : view, ...words]
      .filter((part) => part !== "")
      .map(encodeURIComponent)
      .join("/");
    const query = Object.entries(params)
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join("&");
    return `#/${path}${query ? `?${query}` : ""}`;
  }

  ct.address = {
    write,
    current: () => parse(window.location.hash),
    go(view, words, params) {
      window.location.hash = write(view, words, params);
    },
    /**
     * Change parameters of the address; return whether that changed anything. A dragged slider replaces the address
     * instead of adding to Back.
     */
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
}
