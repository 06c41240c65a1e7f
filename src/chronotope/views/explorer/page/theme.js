// Light or dark: the system decides, unless the reader has chosen. Runs in the head, before the first paint.
"use strict";

window.ct = /** @type {Chronotope} */ ({});
{
  const KEY = "chronotope-theme";
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  /** Choices of the reader, stored in the browser if it allows that. */
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
        // The page works without storage.
      }
    },
  };

  function current() {
    const chosen = ct.remember.get(KEY);
    return chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
  }

  function apply() {
    document.documentElement.dataset.theme = current();
    const button = document.getElementById("theme");
    if (!button) return;
    button.title = `Switch to ${current() === "dark" ? "light" : "dark"} colors`;
    button.setAttribute("aria-label", button.title);
  }

  ct.theme = {
    apply,
    toggle() {
      ct.remember.set(KEY, current() === "dark" ? "light" : "dark");
      apply();
    },
  };

  system.addEventListener("change", apply);
  apply();
}
