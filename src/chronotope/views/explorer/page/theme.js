// Light or dark: as the system says, unless the reader has chosen. Runs in the head, before anything is painted.
(function (ct) {
  "use strict";

  const KEY = "chronotope-theme";

  // What the reader chose earlier is kept in the browser, where it allows that.
  ct.remember = {
    get(key) {
      try {
        return window.localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        window.localStorage.setItem(key, value);
      } catch {
        // A browser that keeps nothing still shows the page.
      }
    },
  };

  const system = window.matchMedia("(prefers-color-scheme: dark)");

  function current() {
    const chosen = ct.remember.get(KEY);
    return chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
  }

  function apply() {
    document.documentElement.dataset.theme = current();
    const button = document.getElementById("theme");
    if (button) {
      const other = current() === "dark" ? "light" : "dark";
      button.setAttribute("aria-label", `Switch to ${other} colors`);
      button.title = `Switch to ${other} colors`;
    }
  }

  ct.theme = {
    current,
    apply,
    toggle() {
      ct.remember.set(KEY, current() === "dark" ? "light" : "dark");
      apply();
    },
  };

  system.addEventListener("change", apply);
  apply();
})((window.chronotope = window.chronotope || {}));
