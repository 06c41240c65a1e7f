// Two to five words side by side: how each changed, how often each occurs, how near they are to each other.
(function (ct) {
  "use strict";

  ct.views = ct.views || {};

  const MOST = 5;

  ct.views.compare = {
    bar: true,
    title: (address) => (address.words.length ? `Compare ${address.words.join(", ")}` : "Compare words"),
    create() {
      const heading = ct.h("h1", null, "Compare words");
      const chips = ct.h("div", { class: "chips", role: "group", "aria-label": "Words compared" });
      const box = ct.combobox({ label: "Add a word", placeholder: "Add a word", choose: add });
      const told = ct.h("p", { class: "deck", role: "status" });
      const cite = ct.h(
        "button",
        {
          type: "button",
          onclick: () => ct.cite(`Comparison of ${ct.format.list(words.map(ct.format.quoted))}`, ct.about.signature),
        },
        "Cite",
      );
      const panels = { series: seriesPanel(), pairs: pairsPanel() };
      if (ct.about.counted) panels.often = oftenPanel();
      const holder = ct.h(
        "div",
        { class: "panels" },
        Object.values(panels).map((panel) => panel.element),
      );
      const element = ct.h(
        "div",
        { class: "compare-page" },
        ct.h("div", { class: "opening" }, heading, told, ct.h("div", { class: "picker" }, chips, box.element, cite)),
        holder,
      );
      let words = [];
      let before = "";

      function go(next) {
        const { params } = ct.address.current();
        ct.address.go("compare", next, { at: params.at, place: params.place });
      }

      function add(word) {
        if (words.length >= MOST) told.textContent = `Five words at most: take one away first.`;
        else if (!words.includes(word)) go([...words, word]);
      }

      async function show(address, state, turn) {
        words = [...new Set(address.words)].slice(0, MOST);
        ct.wordChips(chips, words, (word) => go(words.filter((other) => other !== word)));
        cite.hidden = holder.hidden = words.length < 2;
        told.textContent =
          words.length < 2
            ? `Choose two to five words${words.length ? `: one more to go with ${ct.format.quoted(words[0])}` : ""}.`
            : `How ${ct.format.list(words.map(ct.format.quoted))} changed, and how near they came to each other.`;
        turn.rates(null);
        if (words.length < 2) return;
        const key = `${words.join("|")}|${state.within}`;
        if (key === before) {
          for (const panel of Object.values(panels)) panel.update(state);
          return;
        }
        const answer = ct.source.get("compare", { word: words, place: state.within });
        await answer;
        if (!turn.current()) return;
        before = key;
        await Promise.all(Object.values(panels).map((panel) => panel.show(answer, state)));
      }

      return { element, show };
    },
  };

  const rowsOf = (answer, field) =>
    answer.series.flatMap((series) =>
      answer.conditions.map((name, at) => [series.word, name, series[field][at], series.support[at]]),
    );

  function panelOf(options, seriesOf) {
    return ct.panel({
      ...options,
      empty: (answer) =>
        seriesOf(answer).some((one) => one.values.some(ct.known))
          ? null
          : "These words occur too seldom to be compared.",
      draw: ({ svg, answer, state, width }) =>
        ct.lines({
          svg,
          width,
          conditions: answer.conditions,
          now: ct.nowIn(answer.conditions, state),
          series: seriesOf(answer),
          ordered: answer.axis !== "place",
          axis: options.axis,
          choose: state.choose,
          name: ct.namer(state),
          height: options.height,
          domain: options.domain ? options.domain(answer) : null,
          format: options.format,
        }),
      label: (answer) =>
        `${options.plain} of ${answer.words.join(", ")} at ${answer.conditions.length} points; the same as a table below`,
      name: (answer) => `${options.plain}-${answer.words.join("-")}`,
    });
  }

  const seriesPanel = () =>
    panelOf(
      {
        class: "wide",
        plain: "Similarity with itself",
        title: "Who stayed, who moved",
        lead: "How similar each word is to itself where it is first seen often enough: a line that falls is a use that moved away.",
        caution: (answer) => `A gap: fewer than ${answer.min_count} occurrences. Faint dots rest on few.`,
        axis: "similarity with itself",
        table: (answer) => ({
          columns: ["word", ct.axisName(), "similarity", "occurrences"],
          rows: rowsOf(answer, "values"),
        }),
      },
      (answer) =>
        answer.series.map((one, at) => ({
          name: one.word,
          values: one.values,
          low: one.low,
          high: one.high,
          support: one.support,
          color: at,
        })),
    );

  const pairsPanel = () =>
    panelOf(
      {
        plain: "Similarity of pairs",
        title: "How near to each other",
        lead: (answer) =>
          `The similarity of ${answer.words.length > 3 ? `${ct.format.quoted(answer.words[0])} and each other word (the table has all pairs)` : "each two words"}: a line that rises shows two words coming to be used alike.`,
        axis: "similarity of the two",
        table: (answer) => ({
          columns: ["words", ct.axisName(), "similarity"],
          rows: answer.pairs.flatMap((pair) =>
            answer.conditions.map((name, at) => [pair.words.join(" – "), name, pair.similarity[at]]),
          ),
        }),
      },
      // Ten lines would be too many to tell apart: of more than three words, the first with each other one.
      (answer) =>
        answer.pairs
          .filter((pair) => answer.words.length <= 3 || pair.words.includes(answer.words[0]))
          .map((pair, at) => ({ name: pair.words.join(" – "), values: pair.similarity, color: at })),
    );

  const oftenPanel = () =>
    panelOf(
      {
        plain: "Frequency",
        title: "How often each is used",
        lead: "Occurrences in a million words.",
        axis: "in a million words",
        format: (value) => ct.format.rate(value),
        domain: (answer) => [
          0,
          Math.max(1, ...answer.series.flatMap((one) => one.per_million.map((rate) => rate || 0))) * 1.05,
        ],
        table: (answer) => ({
          columns: ["word", ct.axisName(), "per million", "occurrences"],
          rows: rowsOf(answer, "per_million"),
        }),
      },
      (answer) => answer.series.map((one, at) => ({ name: one.word, values: one.per_million, color: at })),
    );
})((window.chronotope = window.chronotope || {}));
