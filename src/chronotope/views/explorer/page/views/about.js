// What lies behind these pages: the model, its text, and what to keep in mind.
(function (ct) {
  "use strict";

  ct.views = ct.views || {};

  // What cannot be asked here, and why; a model without places lacks no map.
  function missing() {
    const { places, missing: why } = ct.about;
    return Object.entries(why)
      .filter(([name]) => name !== "coordinates" || places.length)
      .map(([, reason]) => reason);
  }

  ct.views.about = {
    bar: false,
    title: () => "About",
    create() {
      const { about } = ct;
      const fact = (name, value) => (value ? [ct.h("dt", null, name), ct.h("dd", null, value)] : []);
      const conditions = {
        columns: [ct.axisName(), "words", "running words"],
        rows: about.conditions.map((one) => [one.label, one.words, about.counted ? one.tokens : null]),
      };
      const element = ct.h(
        "div",
        { class: "about-page" },
        ct.h(
          "div",
          { class: "opening" },
          ct.h("h1", null, "About this model"),
          ct.h(
            "p",
            { class: "deck" },
            "Every word has a place of its own in each time and place, learned from the words around it. Words that are used alike stand near each other.",
          ),
        ),
        ct.h(
          "div",
          { class: "panels" },
          ct.h(
            "section",
            { class: "panel prose" },
            ct.h("h2", null, "How to read it"),
            ct.h(
              "p",
              null,
              "Similarity is the cosine between two such places: 1 for words used in the same surroundings, 0 for unrelated ones. It says nothing about right or wrong, or about what the writers meant: opposites such as war and peace are often near, since they are used in like surroundings.",
            ),
            ct.h(
              "p",
              null,
              "A word that occurs a few times only has an uncertain place. It is drawn fainter, and below a small number of occurrences nothing is drawn at all. If the sources of a corpus change, its words seem to change, too: read the sentences before you believe a curve.",
            ),
          ),
          ct.h(
            "section",
            { class: "panel" },
            ct.h("h2", null, "The model"),
            ct.h(
              "dl",
              { class: "facts" },
              fact("Corpus", about.title),
              fact("Method", `${about.method}, ${about.dimensions} dimensions`),
              fact("Words", ct.format.count(about.words)),
              fact("Answers", about.static ? `worked out in this browser; ${about.exactness}` : about.exactness),
              missing().map((why) => fact("Not here", why)),
              fact("Signature", about.signature),
            ),
            ct.h(
              "p",
              { class: "actions" },
              ct.h("button", { type: "button", onclick: () => ct.cite(about.title, about.signature) }, "Cite"),
            ),
            ct.h("p", { class: "quiet" }, about.citation),
          ),
          ct.h(
            "section",
            { class: "panel wide" },
            ct.h("h2", null, "What each time and place holds"),
            ct.h(
              "div",
              { class: "table tall", tabindex: "0", role: "region", "aria-label": "What each time and place holds" },
              ct.tableOf(conditions),
            ),
          ),
        ),
      );
      return { element, show: async () => {} };
    },
  };
})((window.chronotope = window.chronotope || {}));
