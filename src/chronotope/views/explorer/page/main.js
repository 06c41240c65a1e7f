// Follows the address: one view at a time, the old one on the page until the new one is ready.
(function (ct) {
  "use strict";

  const LATE = 280;
  const main = document.getElementById("main");
  const progress = document.getElementById("progress");
  let view = null;
  let name = "";
  let bar = null;
  let asked = 0;
  let shownWords = "";

  async function follow() {
    const address = ct.address.current();
    const made = ct.views[address.view];
    const mine = ++asked;
    const late = setTimeout(() => (progress.hidden = false), LATE);
    const state = ct.stateOf(address.params);
    let next = view;
    try {
      if (!made) throw Object.assign(new Error(`There is no page ${address.view}.`), { kind: "unknown_page" });
      if (address.view === "word" && !address.words[0])
        throw Object.assign(new Error("No word was named."), { kind: "unknown_page" });
      if (name !== address.view || next === null) next = made.create();
      let rates;
      const turn = {
        // Answers may come in another order than the questions: only the latest question counts.
        current: () => mine === asked,
        // How often the word occurs in each time bin, for the bar, once it is known and the view is there.
        rates(found) {
          if (mine !== asked) return;
          rates = found;
          if (next === view) bar.show(made.bar ? state : null, found);
        },
      };
      await next.show(address, state, turn);
      if (mine !== asked) return;
      if (next !== view) {
        if (view && view.close) view.close();
        ct.replace(main, next.element);
        view = next;
        name = address.view;
      }
      bar.show(made.bar ? state : null, rates);
      arrived(address, made.title(address), state);
    } catch (error) {
      if (mine !== asked || error.name === "AbortError") return;
      failed(error, address);
    } finally {
      clearTimeout(late);
      if (mine === asked) progress.hidden = true;
    }
  }

  function arrived(address, title, state) {
    document.body.dataset.view = address.view;
    document.title = title === ct.about.title ? `${title} · chronotope` : `${title} · ${ct.about.title}`;
    for (const link of document.querySelectorAll("nav [data-view]"))
      ct.set(link, { "aria-current": link.dataset.view === address.view ? "page" : null });
    const words = `${address.view}/${address.words.join("/")}`;
    const spoken = document.getElementById("spoken");
    if (words !== shownWords) {
      spoken.textContent = title;
      if (shownWords) {
        window.scrollTo(0, 0);
        // A link that was followed is gone with its page: the focus goes to the new one.
        if (!document.activeElement || document.activeElement === document.body) main.focus({ preventScroll: true });
      }
    } else if (ct.views[address.view].bar && state.condition) spoken.textContent = ct.format.label(state.condition);
    shownWords = words;
  }

  function failed(error, address) {
    if (view && view.close) view.close();
    view = null;
    name = "";
    shownWords = "failed";
    bar.show(null);
    const unknown = error.kind === "unknown_word";
    const suggestions = (error.didYouMean || []).slice(0, 5);
    document.title = "chronotope";
    document.body.dataset.view = "failed";
    ct.replace(
      main,
      ct.h(
        "div",
        { class: "failed-page", role: "alert" },
        ct.h(
          "h1",
          null,
          unknown
            ? "This word is not known here"
            : error.kind === "unknown_page"
              ? "There is no such page"
              : "That did not work",
        ),
        ct.h("p", { class: "deck" }, error.message),
        unknown && suggestions.length
          ? ct.h(
              "p",
              null,
              "Did you mean ",
              ...suggestions.flatMap((word, at) => [
                at ? ", " : "",
                ct.h("a", { class: "word", href: ct.address.write(address.view, [word], address.params) }, word),
              ]),
              "?",
            )
          : null,
        ct.h(
          "p",
          { class: "actions" },
          ct.h("a", { class: "action", href: "#/" }, "To the start"),
          unknown ? null : ct.h("button", { type: "button", onclick: follow }, "Try again"),
        ),
      ),
    );
  }

  async function begin() {
    document.getElementById("theme").addEventListener("click", ct.theme.toggle);
    ct.theme.apply();
    const late = setTimeout(() => (progress.hidden = false), LATE);
    try {
      ct.about = await ct.source.get("about", {});
    } catch (error) {
      progress.hidden = true;
      ct.replace(
        main,
        ct.h(
          "div",
          { class: "failed-page", role: "alert" },
          ct.h("h1", null, "The explorer cannot reach its data"),
          ct.h("p", { class: "deck" }, error.message),
          ct.h("button", { type: "button", onclick: () => window.location.reload() }, "Try again"),
        ),
      );
      return;
    } finally {
      clearTimeout(late);
    }
    document.getElementById("corpus").textContent = ct.about.title;
    const box = ct.combobox({
      label: "Find a word",
      placeholder: window.matchMedia("(hover: hover)").matches ? "Find a word  ( / )" : "Find a word",
      choose: (word) => ct.address.go("word", [word], kept()),
    });
    document.getElementById("search").append(box.element);
    ct.replace(
      document.getElementById("foot"),
      ct.h(
        "p",
        null,
        `${ct.format.count(ct.about.words)} words · ${ct.about.method}, ${ct.about.dimensions} dimensions`,
        ct.about.static ? ` · ${ct.about.exactness}` : "",
      ),
      ct.h("p", { class: "signature" }, ct.about.signature),
    );
    bar = ct.where(document.getElementById("where"));
    // The slash leads to the search field, as on many pages.
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName))
        return;
      event.preventDefault();
      const field = document.querySelector(".large input") || box.input;
      field.focus();
    });
    window.addEventListener("hashchange", () => window.location.hash !== "#main" && follow());
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      main.focus();
    });
    await follow();
  }

  // A new word is looked at when and where the last one was.
  function kept() {
    const { at, place } = ct.address.current().params;
    return { at, place };
  }

  begin();
})((window.chronotope = window.chronotope || {}));
