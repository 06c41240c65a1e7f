// Two times or places side by side: the nearest words and the sentences of a word in each.
"use strict";

{
  const OTHERS = 10;

  ct.views.sides = {
    uses: {},
    title: (address) => `${ct.format.word(address.words[0] || "")} side by side`,
    create() {
      const heading = ct.h("h1");
      const deck = ct.h("p", { class: "deck" });
      const halves = ["at", "to"].map(half);
      const element = ct.h(
        "div",
        { class: "sides-page" },
        ct.h("div", { class: "opening" }, heading, deck),
        ct.h("div", { class: "panels" }, halves.map((one) => one.element)),
      );

      /** @type {View["show"]} */
      async function show({ words: [word], params }, state, turn) {
        if (!word) return ct.address.go("start");
        const series = await ct.source.get("series", { word });
        if (!turn.current()) return;
        const enough = series.rows.filter((row) => row.count >= ct.ENOUGH || !ct.about.counted);
        const here = state.condition || enough[0]?.condition;
        // By default the first time or place where it occurs often enough, in the same place if there are several.
        const other = enough.find((row) => row.condition !== here && (state.within === null || ct.placeOf(row.condition).place === state.within));
        const another = ct.about.conditions.find((one) => one.label !== here);
        const sides = [here, params.to || other?.condition || another?.label || here];
        if (!ct.about.conditions.some((one) => one.label === sides[1])) ct.stateOf({ at: sides[1] });
        heading.textContent = ct.format.word(word);
        const answers = await Promise.all(sides.map((label) => ct.source.get("neighbors", { word, at: label, top: OTHERS }).catch(() => ({ rows: /** @type {Row[]} */ ([]) }))));
        if (!turn.current()) return;
        const sets = answers.map((answer) => new Set(answer.rows.map((row) => row.neighbor)));
        const shared = [...sets[0]].filter((one) => sets[1].has(one));
        deck.textContent = `${ct.format.label(sides[0])} and ${ct.format.label(sides[1])}: ${shared.length ? `${shared.length} of ${OTHERS} nearest words are the same (${ct.format.some(shared.map(ct.format.word), 5)})` : "no nearest word is the same"}.`;
        halves.forEach((one, at) => one.show(word, { ...state, condition: sides[at], ...ct.placeOf(sides[at]) }));
      }

      return { element, show };
    },
  };

  /** One side: its condition to choose, its panel, its sentences. */
  function half(name) {
    const select = ct.h(
      "select",
      // The first side is the time and place of the address.
      { onchange: () => ct.address.change(name === "at" ? ct.placeOf(select.value) : { to: select.value }) },
      ct.about.conditions.map((one) => ct.h("option", { value: one.label }, ct.format.label(one.label))),
    );
    const panel = ct.panel(ct.wordPanels.nearest);
    const sentences = ct.sentences({ title: "Sentences", choices: false });
    const label = ct.h("label", { class: "choice" }, ct.h("span", null, name === "at" ? "Left" : "Right"), select);
    return {
      element: ct.h("div", { class: "stack" }, label, panel.element, sentences.element),
      show(word, state) {
        select.value = state.condition;
        panel.show(ct.ask("neighbors", { word, at: state.condition, top: OTHERS }), state);
        sentences.show(word, state, {});
      },
    };
  }
}
