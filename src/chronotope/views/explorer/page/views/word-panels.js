// The panels of a word's page: the chart and the texts of each.
"use strict";

{
  const { quoted, times } = ct.format;
  const word = (answer) => (answer.rows[0] || {}).word || "";
  const TOO_FEW = "It occurs often enough at fewer than two times or places.";
  const isPlace = (answer) => answer.facts.axis === "place";

  /** The partner that each condition is compared with, in words. */
  function against(answer) {
    const found = [...new Set(answer.rows.map((row) => row.against).filter(Boolean))];
    if (found.length > 1) return "the time before";
    return found[0] === "all others" ? `its use in all other ${ct.about.times.length ? "times" : "places"}` : `its use ${ct.format.in(found[0] || "")}`;
  }

  /** @type {Record<string, PanelOptions>} */
  ct.wordPanels = {
    nearest: {
      class: "nearest",
      plain: "Its nearest words",
      title: (answer, state) => `Its nearest words ${ct.format.in((answer.rows[0] || {}).condition || state.condition)}`,
      lead: (answer) => {
        const { count } = answer.rows[0] || {};
        const often = count && ct.about.counted ? `, which occurs here ${times(count)}` : "";
        return `The words used most like ${quoted(word(answer))}${often}.`;
      },
      chart: { family: "ranked", label: "neighbor", value: "similarity", faint: "count", limit: 20 },
      caption: (answer) => {
        const { count, fallback } = answer.rows[0] || {};
        if (fallback) return ["The word does not occur here: this is an estimate from its other times and places."];
        return [ct.about.counted && count < 20 ? `Only ${times(count)}: too few to be sure. Read the sentences.` : null];
      },
      empty: (answer) => (answer.rows.length ? null : "No word occurs here often enough to be a neighbor."),
      remedy: (error, state) =>
        error.kind === "too_rare" && state.condition && !ct.address.current().params.fallback
          ? ct.h("p", { class: "actions" }, ct.h("button", { type: "button", onclick: () => ct.address.change({ fallback: "yes" }, true) }, "Estimate from its other times and places"))
          : null,
    },

    company: {
      class: "company wide",
      plain: "How its neighbors changed",
      title: (answer) => (isPlace(answer) ? "Its nearest words in each place" : "How its neighbors changed"),
      lead: (answer) => {
        if (ct.address.current().params.company === "lines") return "The similarity of the word with each neighbor over time.";
        const key = (kind, text) => ct.h("span", { class: `key ${kind}` }, text);
        return isPlace(answer)
          ? ["The nearest words in each place, the nearest on top. ", key("late", "Orange"), " words are near in one place only."]
          : ["The nearest words at each time, the nearest on top. ", key("early", "Blue"), " words are near in the first half only, ", key("late", "orange"), " words in the second only, ", key("both", "gray"), " words in both."];
      },
      chart: () =>
        ct.address.current().params.company === "lines"
          ? { ...ct.questions.neighbors.chart, family: "lines" }
          : { family: "bump" },
      empty: (answer) => (answer.rows.length ? null : "It is too rare in every condition."),
    },

    series: {
      class: "series",
      plain: "How much its use stayed the same",
      title: (answer) => (isPlace(answer) ? "How similar its use is" : "How much its use stayed the same"),
      lead: (answer) => `Similarity of ${quoted(word(answer))} with ${against(answer)}: 1 is the same use, 0 an unrelated one.`,
      caption: (answer) => [
        answer.facts.bootstrap && answer.rows.some((row) => ct.known(row.low))
          ? `The ${isPlace(answer) ? "thin line" : "band"} is a 95 % interval for the similarity after correction for sampling noise, so the value drawn may lie below it.`
          : null,
        ct.about.available.bands || answer.rows.some((row) => ct.known(row.low)) ? null : `No interval: ${ct.about.missing.bands}.`,
      ],
      // The library's note is about its own chart; the caption above is about this one.
      notes: (answer) => answer.notes.filter((note) => !answer.facts.bootstrap || !note.startsWith("Interval:")),
      empty: (answer) => (answer.rows.some((row) => ct.known(row.similarity)) ? null : "It occurs too rarely to be compared with itself."),
    },

    frequency: {
      class: "frequency",
      plain: "How often it is used",
      lead: "Occurrences per million words. The neighbors of a rare word vary by chance: that is not a change of meaning.",
      chart: (answer) => ({ family: "lines", x: "condition", y: "per_million", color: "word", band: answer.rows.some((row) => "documents" in row) ? ["low", "high"] : null, faint: "count" }),
      notes: (answer) => ("documents" in (answer.rows[0] || {}) ? answer.notes.filter((note) => !note.startsWith("Interval:")) : []),
      caption: (answer) => [
        answer.rows.some((row) => "documents" in row && ct.known(row.low)) ? "Band: 95 % interval that takes into account how unevenly documents use the word." : null,
      ],
    },

    matrix: {
      class: "matrix",
      plain: "When it meant the same",
      title: (answer) => (isPlace(answer) ? "Where it means the same" : "When it meant the same"),
      lead: (answer) =>
        isPlace(answer)
          ? "Every place against every other: the stronger the color, the more similar the use."
          : "Every time against every other: the stronger the color, the more similar the use. Strong blocks are periods of one meaning.",
      empty: (answer) => (answer.rows.filter((row) => ct.known(row.similarity)).length > 1 ? null : TOO_FEW),
    },

    changepoints: {
      class: "changepoints",
      plain: "When its use changed",
      lead: "Significant changes, by size.",
      empty: (answer) => (answer.rows.length ? null : "No significant change."),
    },

    collocates: {
      class: "collocates",
      plain: "The words beside it",
      title: (answer) => {
        const where = (answer.rows[0] || {}).condition;
        return where ? `The words beside it ${ct.format.in(where)}` : "The words beside it";
      },
      lead: "Words that occur next to it more often than by chance. Neighbors in meaning need not be among them.",
    },

    map: {
      class: "map wide",
      plain: "Where its use is typical",
      lead: "How similar its use in each place is to its use in all other places: the stronger the color, or the longer the bar, the more typical. Choose a place to look at it.",
    },

    grid: {
      class: "grid wide",
      plain: "Over time and place",
      lead: "How similar its use at each time in each place is to its use elsewhere. A frame marks the first time after a significant change in that place.",
      empty: (answer) => (answer.rows.some((row) => ct.known(row.value)) ? null : "It is too rare everywhere."),
    },

    trajectory: {
      class: "trajectory wide",
      plain: "Its path among its neighbors",
      title: (answer) => (isPlace(answer) ? "Its position in each place" : "Its path among its neighbors"),
      lead: (answer, state) => `Words that are close here are used in similar ways. Bold words are near it ${ct.format.in(state.condition || "")}.`,
      caption: () => ["Only nearness has a meaning; directions and exact distances have none."],
      empty: (answer) => (answer.rows.filter((row) => row.kind === "path").length > 1 ? null : TOO_FEW),
    },
  };
}
