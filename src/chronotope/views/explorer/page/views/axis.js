// Words along an axis that the reader draws between other words: (health + medical) - (duty + attention).
(function (ct) {
  "use strict";

  ct.views = ct.views || {};

  const MOST = 5;

  ct.views.axis = {
    bar: true,
    title: (address) => (address.words.length ? `${address.words.join(", ")} along an axis` : "Words along an axis"),
    create() {
      const heading = ct.h("h1", null, "Words along an axis");
      const told = ct.h(
        "p",
        { class: "deck" },
        "Draw a line between words, such as peace at one end and war at the other, and see where a word stood on it.",
      );
      const chips = ct.h("div", { class: "chips", role: "group", "aria-label": "Words placed" });
      const box = ct.combobox({
        label: "Add a word to place",
        placeholder: "Word to place",
        choose: (word) => words.length < MOST && !words.includes(word) && go([...words, word]),
      });
      const formula = ct.h("input", {
        id: "formula",
        type: "text",
        maxlength: 500,
        placeholder: "(war + army) - (peace + treaty)",
        autocomplete: "off",
        spellcheck: "false",
      });
      const fixed = ct.h("input", { id: "fixed", type: "checkbox" });
      const cite = ct.h(
        "button",
        {
          type: "button",
          onclick: () =>
            ct.cite(`${ct.format.list(words.map(ct.format.quoted))} along ${formula.value}`, ct.about.signature),
        },
        "Cite",
      );
      const form = ct.h(
        "form",
        { class: "picker", onsubmit: (event) => (event.preventDefault(), go(words)) },
        chips,
        box.element,
        ct.h(
          "label",
          { class: "field", for: "formula" },
          ct.h("span", null, "The axis: words at one end − words at the other"),
          formula,
        ),
        ct.h("label", { for: "fixed" }, fixed, ct.h("span", null, "the same axis at all times")),
        ct.h("button", { class: "strong" }, "Draw"),
        cite,
      );
      const state = ct.h("p", { class: "state", role: "status" });
      const panel = makePanel();
      const holder = ct.h("div", { class: "panels" }, panel.element);
      const element = ct.h(
        "div",
        { class: "axis-page" },
        ct.h("div", { class: "opening" }, heading, told, form),
        state,
        holder,
      );
      fixed.addEventListener("change", () => formula.value.trim() && go(words));
      let words = [];

      function go(next) {
        const { params } = ct.address.current();
        ct.address.go("axis", next, {
          formula: formula.value.trim(),
          fixed: fixed.checked ? "yes" : null,
          at: params.at,
          place: params.place,
        });
      }

      async function show(address, where, turn) {
        words = [...new Set(address.words)].slice(0, MOST);
        const asked = address.params.formula || "";
        if (document.activeElement !== formula || asked) formula.value = asked;
        fixed.checked = Boolean(address.params.fixed);
        turn.rates(null);
        ct.wordChips(chips, words, (word) => go(words.filter((other) => other !== word)));
        const missing = !words.length
          ? "First choose a word to place."
          : asked
            ? ""
            : "Now write the axis: words joined by +, the two ends parted by a minus with a blank on either side.";
        if (missing) return nothing(missing);
        try {
          const answer = await ct.source.get("axis", { word: words, formula: asked, fixed: fixed.checked });
          if (!turn.current()) return undefined;
          holder.hidden = cite.hidden = false;
          state.textContent = "";
          return await panel.show(Promise.resolve(answer), where);
        } catch (error) {
          return turn.current() ? nothing(error.message) : undefined;
        }
      }

      function nothing(reason) {
        holder.hidden = cite.hidden = true;
        state.textContent = reason;
      }

      return { element, show };
    },
  };

  const end = (words) => (words.length ? ct.format.list([...words]) : "the opposite");

  // Where both axes exist, the time line of the place that is looked at.
  function rowsAt(answer, state) {
    return answer.rows.filter((row) => state.within === null || ct.placeOf(row.condition).place === state.within);
  }

  function makePanel() {
    return ct.panel({
      class: "wide",
      plain: "Along the axis",
      title: ({ answers: [one] }) =>
        one.minus.length ? `Between ${end(one.minus)} and ${end(one.plus)}` : `Near ${end(one.plus)}`,
      lead: ({ answers: [one] }) =>
        one.minus.length
          ? `Above the middle line a word stands nearer to ${end(one.plus)}, below it nearer to ${end(one.minus)}.`
          : `The higher, the nearer to ${end(one.plus)}.`,
      caution: ({ answers: [one] }) =>
        `${one.rows.some((row) => ct.known(row.low)) ? "The band shows how much the answer hangs on the choice of words for the two ends. " : "With three or more words at an end, a band would show how much hangs on their choice. "}A gap: fewer than ${one.min_count} occurrences.`,
      empty: (answer, state) =>
        answer.answers.some((one) => rowsAt(one, state).some((row) => ct.known(row.value)))
          ? null
          : "The word, or one end of the axis, occurs too seldom.",
      draw: ({ svg, answer, state, width }) => {
        const conditions = rowsAt(answer.answers[0], state).map((row) => row.condition);
        const series = answer.answers.map((one, at) => {
          const rows = rowsAt(one, state);
          return {
            name: one.word,
            color: at,
            values: rows.map((row) => row.value),
            low: rows.map((row) => row.low),
            high: rows.map((row) => row.high),
            support: rows.map((row) => row.support),
          };
        });
        const [low, high] = ct.extent([0, ...series.flatMap((one) => [...one.values, ...one.low, ...one.high])], 0.2);
        ct.lines({
          svg,
          width,
          conditions,
          series,
          now: ct.nowIn(conditions, state),
          ordered: answer.answers[0].axis !== "place",
          axis: `toward ${end(answer.answers[0].plus)} ↑`,
          domain: [low - 0.03, high + 0.03],
          choose: state.choose,
          name: ct.namer(state),
          height: 280,
          zero: true,
        });
      },
      label: (answer) =>
        `Where ${answer.answers.map((one) => one.word).join(", ")} stood along ${answer.formula}; the same as a table below`,
      table: (answer) => ({
        columns: ["word", ct.axisName(), "value", "low", "high", "occurrences"],
        rows: answer.answers.flatMap((one) =>
          one.rows.map((row) => [one.word, row.condition, row.value, row.low, row.high, row.support]),
        ),
      }),
      name: (answer) => `axis-${answer.answers.map((one) => one.word).join("-")}`,
    });
  }
})((window.chronotope = window.chronotope || {}));
