// The first page: find a word, or begin with those that changed most and those that stayed.
(function (ct) {
  "use strict";

  ct.views = ct.views || {};

  const HINT = "chronotope-hint-seen";
  const SHOWN = 12;

  ct.views.start = {
    bar: false,
    title: () => ct.about.title,
    create() {
      const changed = ct.h("ol", { class: "changed" });
      const stable = ct.h("ol", { class: "stable" });
      const changedNote = ct.h("p", { class: "lead" });
      const stableNote = ct.h("p", { class: "lead" });
      const waiting = ct.h("p", { class: "state", role: "status" });
      const stayed = ct.h(
        "section",
        { class: "panel" },
        ct.h("header", null, ct.h("h2", null, "Words that stayed the same"), stableNote),
        stable,
      );
      const files = ct.h("div", { class: "files", role: "group", "aria-label": "Save this list" });
      const box = ct.combobox({
        label: "Find a word",
        placeholder: "Find a word",
        choose: (word) => ct.address.go("word", [word]),
      });
      box.element.classList.add("large");
      const element = ct.h(
        "div",
        { class: "start" },
        ct.h(
          "div",
          { class: "opening" },
          ct.h("h1", null, ct.about.title),
          ct.h("p", { class: "deck" }, deck()),
          box.element,
        ),
        hint(),
        ct.h(
          "div",
          { class: "columns" },
          ct.h(
            "section",
            { class: "panel wide" },
            ct.h("header", null, ct.h("h2", null, "Words that changed most"), changedNote),
            waiting,
            changed,
            ct.h("footer", null, files),
          ),
          stayed,
        ),
      );

      // The lists may take seconds on a large model: the page is there before them.
      async function fill() {
        const late = setTimeout(() => (waiting.textContent = "Comparing every word with itself …"), 280);
        try {
          const answer = await ct.source.get("starts", { top: 20 });
          show(answer);
        } catch (error) {
          waiting.textContent = error.message;
          stayed.hidden = true;
          return;
        } finally {
          clearTimeout(late);
        }
        waiting.textContent = "";
      }

      function show({ changed: drift, stable: stability, note }) {
        const rows = drift.rows.slice(0, SHOWN);
        changedNote.textContent = rows.length
          ? `The words whose company changed most, of ${ct.format.count(drift.words)} that occur often enough to tell (${note}).`
          : "No word occurs often enough in two places or times to tell.";
        const most = Math.max(0.001, ...rows.map((row) => row.score));
        ct.replace(changed, ...rows.map((row) => changedRow(row, most)));
        stayed.hidden = !stability.most.length;
        stableNote.textContent =
          "They keep the same company everywhere. Words that only hold sentences together are often among them.";
        ct.replace(
          stable,
          ...stability.most
            .slice(0, 20)
            .map((row) =>
              ct.h(
                "li",
                null,
                wordLink(row.word),
                ct.h(
                  "span",
                  { class: "support" },
                  ct.format.number(row.stability) + (ct.about.counted ? ` · ${ct.format.count(row.count)}×` : ""),
                ),
              ),
            ),
        );
        const table = {
          columns: ["word", "score", "z", "before", "neighbors before", "after", "neighbors after"],
          rows: drift.rows.map((row) => [
            row.word,
            row.score,
            row.z,
            row.before.condition,
            names(row.before, 5).join(" "),
            row.after.condition,
            names(row.after, 5).join(" "),
          ]),
        };
        ct.replace(
          files,
          ct.h("button", { "data-save": "csv", onclick: () => ct.save.csv(table, "most-changed") }, "CSV"),
        );
      }

      let filled = null;
      return {
        element,
        async show() {
          filled = filled || fill();
          // A list that is ready at once is shown with the page, without a jump.
          await Promise.race([filled, new Promise((resolve) => setTimeout(resolve, 120))]);
        },
      };
    },
  };

  function deck() {
    const { times, places, words } = ct.about;
    const [ages, sites] = [times.length > 1, places.length > 1];
    const over = ages && sites ? " when and where" : sites ? " in different places" : ages ? " over time" : "";
    const first = times.length ? ct.format.label(times[0]) : "";
    const span = ages ? ` from ${first} to ${ct.format.label(times[times.length - 1])}` : first && ` in ${first}`;
    const site = sites ? `${places.length} places` : places.map(ct.format.label).join("");
    const where = site && `${first && ","} in ${site}`;
    return `How ${ct.format.count(words)} words were used${over}${span}${where}. A word is known by the company it keeps: look one up and see who was near it.`;
  }

  function hint() {
    if (ct.remember.get(HINT)) return null;
    const box = ct.h(
      "aside",
      { class: "hint", "aria-label": "How to read these pages" },
      ct.h("h2", null, "How to read these pages"),
      ct.h(
        "ul",
        null,
        ct.h(
          "li",
          null,
          "Two words are near when they are used in the same surroundings, not when they stand side by side.",
        ),
        ct.h("li", null, "Similarity runs from 0 (unrelated) to 1 (used alike)."),
        ct.h(
          "li",
          null,
          "What rests on few occurrences is drawn fainter. Before you believe a change, read the sentences below it.",
        ),
      ),
      ct.h("button", { type: "button", onclick: () => (ct.remember.set(HINT, "yes"), box.remove()) }, "Got it"),
    );
    return box;
  }

  const names = (side, most) => side.neighbors.slice(0, most).map((match) => match.word);

  function wordLink(word, params = {}) {
    return ct.h("a", { class: "word", href: ct.address.write("word", [word], params) }, word);
  }

  function changedRow(row, most) {
    const bar = ct.h(
      "span",
      { class: "score", title: `change ${ct.format.number(row.score)}`, "aria-hidden": "true" },
      ct.h("i"),
    );
    bar.firstChild.style.width = `${Math.round((row.score / most) * 100)}%`;
    const side = (half, kind) =>
      ct.h(
        "span",
        { class: `side ${kind}` },
        ct.h("span", { class: "condition" }, ct.format.label(half.condition)),
        " ",
        names(half, 3).join(", "),
      );
    // The two are the most and the least usual use; over time the earlier one stands first.
    const position = (half) => ct.about.conditions.findIndex((one) => one.label === half.condition);
    const over = ct.about.times.length > 0;
    const [first, second] =
      over && position(row.after) < position(row.before) ? [row.after, row.before] : [row.before, row.after];
    const arrow = ct.h(
      "span",
      { class: "arrow" },
      over ? ct.h("span", { "aria-hidden": "true" }, "→") : "but",
      over ? ct.h("span", { class: "unseen" }, "then") : null,
    );
    return ct.h(
      "li",
      null,
      wordLink(row.word, ct.placeOf(second.condition)),
      bar,
      ct.h("span", { class: "sides" }, side(first, "early"), arrow, side(second, "late")),
    );
  }

  ct.wordLink = wordLink;
})((window.chronotope = window.chronotope || {}));
