// Shows the view of the address; the old view stays until the new one is ready.
"use strict";

{
  const main = document.getElementById("main");
  const progress = document.getElementById("progress");
  /** @type {View} */
  let view = null;
  let name = "";
  /** @type {ReturnType<typeof ct.where>} */
  let bar = null;
  let asked = 0;
  let shownWords = "";

  const unknownPage = (message) => Object.assign(new Error(message), { kind: "unknown_page" });

  async function follow() {
    const address = ct.address.current();
    const kind = Object.hasOwn(ct.views, address.view) ? ct.views[address.view] : null;
    const mine = ++asked;
    const late = setTimeout(() => (progress.hidden = false), ct.LATE);
    let next = view;
    try {
      if (!kind) throw unknownPage(`There is no page “${address.view}”.`);
      if (address.view === "word" && !address.words[0]) throw unknownPage("The address names no word.");
      const state = ct.stateOf(address.view === "ask" ? {} : address.params, Boolean(kind.uses.time));
      if (name !== address.view || next === null) next = kind.create();
      /** @type {(number | null)[] | null | undefined} */
      let rates;
      await next.show(address, state, {
        // Answers may arrive in another order than the questions: only the latest question counts.
        current: () => mine === asked,
        rates(found) {
          if (mine !== asked) return;
          rates = found;
          if (next === view) bar.show(state, kind.uses, found);
        },
      });
      if (mine !== asked) return;
      if (next !== view) {
        if (view && view.close) view.close();
        ct.replace(main, next.element);
        view = next;
        name = address.view;
      }
      bar.show(state, kind.uses, rates);
      arrived(address, kind, state);
    } catch (error) {
      if (mine !== asked || error.name === "AbortError") return;
      failed(error, address);
    } finally {
      clearTimeout(late);
      if (mine === asked) progress.hidden = true;
    }
  }

  /** Name the view in the page and in the menu. */
  function mark(name) {
    document.body.dataset.view = name;
    for (const link of document.querySelectorAll("nav [data-view]"))
      ct.set(link, { "aria-current": link.getAttribute("data-view") === name ? "page" : null });
  }

  function arrived(address, kind, state) {
    const title = kind.title(address);
    mark(address.view);
    document.title = title === ct.about.title ? `${title} · chronotope` : `${title} · ${ct.about.title}`;
    const words = `${address.view}/${address.words.join("/")}`;
    const spoken = document.getElementById("spoken");
    if (words !== shownWords) {
      spoken.textContent = title;
      if (shownWords) {
        window.scrollTo(0, 0);
        // The followed link is gone with its page: the focus goes to the new page.
        if (!document.activeElement || document.activeElement === document.body) main.focus({ preventScroll: true });
      }
    } else if (kind.uses.time && state.condition) spoken.textContent = ct.format.label(state.condition);
    shownWords = words;
  }

  /** @type {Record<string, string>} */
  const FAILURES = {
    unknown_word: "This word is not known here",
    unknown_page: "There is no such page",
    unknown_condition: "There is no such time or place",
  };

  function failed(error, address) {
    if (view && view.close) view.close();
    view = null;
    name = "";
    shownWords = "failed";
    bar.show(null, {});
    document.title = "chronotope";
    mark("failed");
    const link = (text, href) => ct.h("a", { class: "word", href }, text);
    const suggestions = (error.didYouMean || []).slice(0, 5).map((word) => link(ct.format.word(word), ct.address.write(address.view, [word], address.params)));
    // The times or places that exist, each as a link to the same page there.
    const labels = (error.labels || []).map((label) =>
      link(ct.format.label(label), ct.address.write(address.view, address.words, { ...address.params, at: error.axis === "time" ? label : ct.about.times.length ? address.params.at : null, place: error.axis === "place" ? label : address.params.place })),
    );
    const commas = (links) => links.flatMap((one, at) => [at ? ", " : "", one]);
    showFailure(
      FAILURES[error.kind] || "That did not work",
      error.message,
      suggestions.length ? ct.h("p", null, "Did you mean ", commas(suggestions), "?") : null,
      labels.length ? ct.h("p", null, error.axis === "time" ? "Times: " : "Places: ", commas(labels), ".") : null,
      ct.h("p", { class: "actions" }, ct.h("a", { class: "action", href: "#/" }, "To the start"), error.kind in FAILURES ? null : ct.h("button", { type: "button", onclick: follow }, "Try again")),
    );
  }

  const showFailure = (title, message, ...more) =>
    ct.replace(main, ct.h("div", { class: "failed-page", role: "alert" }, ct.h("h1", null, title), ct.h("p", { class: "deck" }, ct.sentence(message)), more));

  async function begin() {
    document.getElementById("theme").addEventListener("click", ct.theme.toggle);
    ct.theme.apply();
    const late = setTimeout(() => (progress.hidden = false), ct.LATE);
    try {
      const [about, questions] = await Promise.all([ct.source.get("about"), ct.source.get("questions")]);
      ct.about = about;
      ct.questions = Object.fromEntries(questions.map((one) => [one.name, one]));
    } catch (error) {
      progress.hidden = true;
      const again = ct.h("button", { type: "button", onclick: () => window.location.reload() }, "Try again");
      return showFailure("The explorer cannot reach its data", error.message, again);
    } finally {
      clearTimeout(late);
    }
    document.getElementById("corpus").textContent = ct.about.title;
    const box = ct.combobox({
      label: "Find a word",
      placeholder: window.matchMedia("(hover: hover)").matches ? "Find a word  ( / )" : "Find a word",
      // A new word is shown at the time and place of the last one.
      choose: (word) => {
        const { at, place } = ct.address.current().params;
        ct.address.go("word", [word], { at, place });
      },
    });
    document.getElementById("search").append(box.element);
    const { words, method, dimensions, exactness, signature } = ct.about;
    ct.replace(
      document.getElementById("foot"),
      ct.h("p", null, `${ct.format.count(words)} words · ${method}, ${dimensions} dimensions${ct.about.static ? ` · ${exactness}` : ""}`),
      ct.h("p", { class: "signature" }, signature),
    );
    bar = ct.where(document.getElementById("where"));
    document.addEventListener("keydown", (event) => {
      const inside = event.target instanceof Element && /INPUT|TEXTAREA|SELECT/.test(event.target.tagName);
      if (event.key !== "/" || event.ctrlKey || event.metaKey || inside) return;
      event.preventDefault();
      const large = /** @type {HTMLElement} */ (document.querySelector(".large input"));
      (large || box.input).focus();
    });
    window.addEventListener("hashchange", () => window.location.hash !== "#main" && follow());
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      main.focus();
    });
    await follow();
  }

  begin();
}
