// The first page: the search, the words that changed most, and the words that stayed the same.
"use strict";

{
  const HINT = "chronotope-hint-seen";
  const SHOWN = 12;

  ct.views.start = {
    uses: {},
    title: () => ct.about.title,
    create() {
      const box = ct.combobox({ label: "Find a word", placeholder: "Find a word", choose: (word) => ct.address.go("word", [word]) });
      box.element.classList.add("large");
      const changed = list("Words that changed most", "wide changed", "drift", changedRow, (answer) => {
        const { from, to } = answer.facts;
        const between = from && to ? ` between ${ct.format.label(from)} and ${ct.format.label(to)}` : "";
        return `Words whose neighbors ${between ? `changed most${between}` : `differ most between two ${ct.format.axes("or")}`}, compared with words of similar frequency.`;
      });
      const stable = list("Words that stayed the same", "stable", "stable", stableRow, () =>
        "Words that keep the same neighbors throughout. Function words are often among them.",
      );
      const element = ct.h(
        "div",
        { class: "start" },
        ct.h("div", { class: "opening" }, ct.h("h1", null, ct.about.title), ct.h("p", { class: "deck" }, deck()), box.element),
        hint(),
        ct.h("div", { class: "columns" }, changed.element, stable.element),
        ct.h("p", { class: "actions" }, ct.h("a", { class: "action", href: "#/ask" }, "All questions")),
      );
      /** @type {Promise<any> | null} */
      let filled = null;
      return {
        element,
        async show() {
          // The lists may take seconds on a large model: the page does not wait for them.
          filled = filled || Promise.all([changed.fill(), stable.fill()]);
          await Promise.race([filled, new Promise((resolve) => setTimeout(resolve, 120))]);
        },
      };
    },
  };

  /** A list of words: the first rows of a question. */
  function list(title, kind, question, item, lead) {
    const said = ct.h("p", { class: "lead" });
    const state = ct.h("p", { class: "state", role: "status" });
    const rows = ct.h("ol", { class: "words" });
    const caption = ct.h("p", { class: "caption", hidden: true });
    const files = ct.h("div", { class: "files", role: "group", "aria-label": "Save this list" });
    const element = ct.h("section", { class: `panel ${kind}` }, ct.h("header", null, ct.h("h2", null, title), said), state, rows, caption, ct.h("footer", null, files));
    async function fill() {
      const late = setTimeout(() => (state.textContent = "Comparing every word with itself …"), ct.LATE);
      try {
        const answer = await ct.ask(question, {}).answer;
        said.textContent = lead(answer);
        const most = Math.max(0.001, ...answer.rows.map((row) => Math.abs(row.change ?? 0)));
        ct.replace(rows, answer.rows.slice(0, question === "drift" ? SHOWN : 20).map((row) => item(row, most)));
        // The other notes are for readers of the whole answer.
        caption.textContent = answer.notes.slice(0, question === "stable" ? 1 : undefined).map(ct.format.word).join(" ");
        caption.hidden = !answer.notes.length;
        ct.replace(
          files,
          ct.h("a", { href: `#/ask/${question}` }, "More"),
          ct.h("button", { "data-save": "csv", onclick: () => ct.save.csv(answer.rows, question) }, "CSV"),
          ct.h("button", { "data-save": "python", onclick: () => ct.copyPython(question, {}) }, "Python"),
        );
        state.textContent = answer.rows.length ? "" : "No word occurs often enough at two times or places.";
      } catch (error) {
        state.textContent = ct.sentence(error.message);
      } finally {
        clearTimeout(late);
      }
    }
    return { element, fill };
  }

  function deck() {
    const { times, places, words } = ct.about;
    const span = times.length > 1 ? ` from ${ct.format.in(times[0]).slice(3)} to ${ct.format.in(times[times.length - 1]).slice(3)}` : times.length ? ` ${ct.format.in(times[0])}` : "";
    const where = places.length > 1 ? ` in ${places.length} places` : places.length ? ` in ${places[0]}` : "";
    return `How ${ct.format.count(words)} words were used${span}${where}. Words that are used in similar ways are neighbors: look up a word and see its neighbors ${[times.length > 1 && "at each time", places.length > 1 && "in each place"].filter(Boolean).join(" and ") || "here"}.`;
  }

  function hint() {
    if (ct.remember.get(HINT)) return null;
    const said = [
      "Two words are neighbors if they occur in the same contexts. They need not stand side by side.",
      "Similarity runs from 0 (unrelated) to 1 (used alike).",
      "Marks for fewer than five occurrences are faint. Before you believe a change, read the sentences.",
    ];
    const box = ct.h(
      "aside",
      { class: "hint", "aria-label": "How to read these pages" },
      ct.h("h2", null, "How to read these pages"),
      ct.h("ul", null, said.map((text) => ct.h("li", null, text))),
      ct.h("button", { type: "button", onclick: () => (ct.remember.set(HINT, "yes"), box.remove()) }, "Got it"),
    );
    return box;
  }

  ct.wordLink = (word, params = {}) => ct.h("a", { class: "word", href: ct.address.write("word", [word], params) }, ct.format.word(word));

  /** The number of documents with the word, if known. */
  const documents = (row) => (ct.known(row.documents) ? ct.format.many(row.documents, "document") : "");

  function changedRow(row, most) {
    const bar = ct.h("span", { class: "score", title: `change ${ct.format.number(row.change)}`, "aria-hidden": "true" }, ct.h("i"));
    /** @type {HTMLElement} */ (bar.firstChild).style.width = `${Math.round((row.change / most) * 100)}%`;
    const side = (condition, words, kind) => {
      const label = ct.h("span", { class: "condition" }, ct.format.label(condition));
      return ct.h("span", { class: `side ${kind}` }, label, " ", (words || []).slice(0, 3).map(ct.format.word).join(", "));
    };
    // Over time, the earlier side comes first; an arrow joins two times in one place.
    const timed = ct.about.times.length > 0;
    const over = timed && ct.placeOf(row.before).place === ct.placeOf(row.after).place;
    const position = (label) => ct.about.conditions.findIndex((one) => one.label === label);
    const sides = [{ at: row.before, words: row.neighbors_before }, { at: row.after, words: row.neighbors_after }];
    if (timed && position(row.after) < position(row.before)) sides.reverse();
    return ct.h(
      "li",
      null,
      ct.h("span", { class: "subject" }, ct.wordLink(row.word, ct.placeOf(sides[1].at)), ct.h("span", { class: "quiet" }, documents(row))),
      bar,
      ct.h(
        "span",
        { class: "sides" },
        side(sides[0].at, sides[0].words, "early"),
        ct.h("span", { class: "arrow" }, over ? ct.h("span", { "aria-hidden": "true" }, "→") : "but", over ? ct.h("span", { class: "unseen" }, "then") : null),
        side(sides[1].at, sides[1].words, "late"),
      ),
    );
  }

  function stableRow(row) {
    const figures = [ct.format.number(row.stability), ct.about.counted && documents(row)].filter(Boolean);
    return ct.h("li", null, ct.wordLink(row.word), ct.h("span", { class: "quiet" }, figures.join(" · ")));
  }
}
