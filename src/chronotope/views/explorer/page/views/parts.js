// Equivalents: which words were used at every other time or place as this one was used here?
"use strict";

{
  ct.views.parts = {
    uses: { time: true, place: true },
    title: (address) => `Equivalents of ${ct.format.word(address.words[0] || "a word")}`,
    create() {
      const heading = ct.h("h1");
      const deck = ct.h("p", { class: "deck" });
      const actions = ct.h("p", { class: "actions" });
      const panel = ct.panel({
        class: "wide equivalents",
        plain: "Its equivalents",
        title: (answer, state) => `Words used like ${ct.format.quoted((answer.rows[0] || {}).word || "")} ${ct.format.in(state.condition)}`,
        lead: "For each time or place, the words whose use there is most similar, the best first. The vertical line is the similarity that a match needs. A pale bar ends before it: there is no match.",
        caption: () => ["There is always a nearest word. Even a match need not be the right counterpart: read its sentences."],
      });
      const element = ct.h("div", { class: "parts-page" }, ct.h("div", { class: "opening" }, heading, deck, actions), ct.h("div", { class: "panels" }, panel.element));

      /** Over time × place, only the conditions that share the time or the place. */
      function beside(answer, state) {
        if (state.within === null) return answer;
        const rows = answer.rows.filter((row) => {
          const { at, place } = ct.placeOf(row.condition);
          return at === state.at || place === state.place;
        });
        const hidden = ct.distinct(answer.rows, "condition").length - ct.distinct(rows, "condition").length;
        const note = hidden ? [`Conditions that share neither time nor place are not shown (${ct.format.count(hidden)}).`] : [];
        return { ...answer, rows, notes: [...answer.notes, ...note] };
      }

      /** @type {View["show"]} */
      async function show({ words: [word], params }, state, turn) {
        if (!word) return ct.address.go("start");
        if (state.condition === null) throw Object.assign(new Error(`There is no text for ${ct.format.label(state.at)} in ${state.place}.`), { kind: "too_rare" });
        const series = await ct.source.get("series", { word, place: state.within });
        if (!turn.current()) return;
        turn.rates(ct.ratesOf(series, state));
        const row = series.rows.find((one) => one.condition === state.condition);
        ct.replace(heading, "Equivalents of ", ct.h("em", null, ct.format.word(word)));
        const others = ct.about.places.length ? (ct.about.times.length ? "in this place at every other time, and in every other place at this time" : "in every other place") : "at every other time";
        deck.textContent = `${ct.format.quoted(word)} occurs ${ct.format.times(row ? row.count : 0)} ${ct.format.in(state.condition)}. These are the words used like it ${others}.`;
        const here = { at: state.at, place: state.place };
        ct.replace(
          actions,
          ct.h("a", { class: "action", href: ct.address.write("word", [word], here) }, `The page of ${ct.format.quoted(word)}`),
          ct.h("button", { type: "button", onclick: () => ct.cite(`Equivalents of “${word}” ${ct.format.in(state.condition)}`) }, "Cite"),
        );
        const asked = ct.ask("equivalents", { word, at: state.condition, fallback: params.fallback ? true : null });
        await panel.show({ ...asked, answer: asked.answer.then((answer) => beside(answer, state)) }, state);
      }

      return { element, show };
    },
  };
}
