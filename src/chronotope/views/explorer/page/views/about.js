// About the model and its text, and how to read the pages.
"use strict";

{
  ct.views.about = {
    uses: {},
    title: () => "About",
    create() {
      const { about } = ct;
      const fact = (name, value) => (value ? [ct.h("dt", null, name), ct.h("dd", null, value)] : []);
      // A model without places needs no coordinates.
      const missing = Object.entries(about.missing).filter(([name]) => name !== "coordinates" || about.places.length);
      const rows = about.conditions.map(({ label, words, tokens }) => ({ condition: label, words, tokens }));
      const panel = (kind, title, ...content) =>
        ct.h("section", { class: `panel ${kind}` }, ct.h("h2", null, title), content);
      const holds = "Words and tokens of each time and place";
      const element = ct.h(
        "div",
        { class: "about-page" },
        ct.h("div", { class: "opening" }, ct.h("h1", null, "About this model"),
          ct.h("p", { class: "deck" }, "Every word has a vector for each time and place, learned from the words around it. Words that are used in similar ways have similar vectors."),
        ),
        ct.h(
          "div",
          { class: "panels" },
          panel(
            "prose",
            "How to read it",
            ct.h("p", null, "Similarity is the cosine of two vectors: 1 for words used in the same contexts, 0 for unrelated ones. Opposites such as war and peace are often similar, because they occur in the same contexts."),
            ct.h("p", null, "The vector of a rare word is uncertain. Marks for fewer than five occurrences are faint or left out, as the caption says. If the sources of a corpus change, its words seem to change, too: read the sentences before you believe a curve."),
          ),
          panel(
            "",
            "The model",
            ct.h(
              "dl",
              { class: "facts" },
              fact("Corpus", about.title),
              fact("Method", `${about.method}, ${about.dimensions} dimensions`),
              fact("Words", ct.format.count(about.words)),
              fact("Answers", about.static ? `computed in this browser; ${about.exactness}` : about.exactness),
              missing.map(([, why]) => fact("Not available", ct.sentence(why))),
              fact("Signature", about.signature),
            ),
            ct.h("p", { class: "actions" }, ct.h("button", { type: "button", onclick: () => ct.cite(about.title) }, "Cite"), ct.h("a", { class: "action", href: "#/ask" }, "All questions")),
            ct.h("p", { class: "quiet" }, about.citation),
          ),
          panel("wide", holds, ct.h("div", { class: "table tall", tabindex: "0", role: "region", "aria-label": holds }, ct.tableOf(rows, holds))),
        ),
      );
      return { element, show: async () => {} };
    },
  };
}
