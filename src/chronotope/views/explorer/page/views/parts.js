// Equivalents: pick a word and a condition; who plays its part everywhere else?
(function (ct) {
  "use strict";

  ct.views = ct.views || {};

  ct.views.parts = {
    bar: true,
    title: (address) => `Who plays the part of ${address.words[0] || "a word"}?`,
    create() {
      const heading = ct.h("h1");
      const deck = ct.h("p", { class: "deck" });
      const actions = ct.h("p", { class: "actions" });
      const panel = ct.panel({
        class: "wide equivalents",
        plain: "Who plays its part",
        title: (answer) => `The part of ${ct.format.quoted(answer.word)} as in ${ct.format.label(answer.at)}`,
        lead: "For each row the words whose use there is nearest, the best first. The short upright line shows how near the best word would be by chance alone: who stays below it is not named.",
        caution:
          "There is always a nearest word. That it passes the line says that something is near, not that it is the right counterpart: read its sentences.",
        draw: ct.charts.parts,
        label: (answer) =>
          `Who plays the part of ${answer.word} in ${answer.at}, at each time and place; the same as a table below`,
        table: (answer) => ({
          columns: [ct.axisName(), "plays the part", "nearest", "similarity", "needed"],
          rows: answer.parts.map((part) => [
            part.condition,
            part.matches.map((match) => match.word).join(" "),
            part.nearest ? part.nearest.word : null,
            part.nearest ? part.nearest.cosine : null,
            part.needed,
          ]),
        }),
        name: (answer) => `part-of-${answer.word}-${answer.at}`,
      });
      const element = ct.h(
        "div",
        { class: "parts-page" },
        ct.h("div", { class: "opening" }, heading, deck, actions),
        ct.h("div", { class: "panels" }, panel.element),
      );

      // Of thousands of times in places, those that share the time or the place that is asked from.
      function beside(answer, state) {
        if (state.within === null) return answer;
        const near = (part) => {
          const { at, place } = ct.placeOf(part.condition);
          return at === state.at || place === state.place;
        };
        return { ...answer, parts: answer.parts.filter(near) };
      }

      async function show({ words: [word] }, state, turn) {
        if (!word) {
          ct.address.go("start");
          return;
        }
        if (state.condition === null)
          throw Object.assign(new Error(`There is no text for ${ct.format.label(state.at)} in ${state.place}.`), {
            kind: "too_rare",
          });
        const series = await ct.source.get("series", { word, place: state.within });
        if (!turn.current()) return;
        turn.rates(ct.ratesOf(series, state));
        const at = series.conditions.indexOf(state.condition);
        const support = at < 0 ? 0 : series.support[at];
        ct.replace(heading, "Who plays the part of ", ct.h("em", null, word), "?");
        deck.textContent = `In ${ct.format.label(state.condition)} ${ct.format.quoted(word)} occurs ${ct.format.times(support)}. Its use there is looked for in every other ${ct.about.places.length ? (ct.about.times.length ? "time of this place, and in the other places at this time" : "place") : "time"}; choose another above to start from there.`;
        ct.replace(
          actions,
          ct.h(
            "a",
            { class: "action", href: ct.address.write("word", [word], { at: state.at, place: state.place }) },
            `The page of “${word}”`,
          ),
          ct.h(
            "button",
            {
              type: "button",
              onclick: () =>
                ct.cite(`Who plays the part of “${word}” in ${ct.format.label(state.condition)}`, ct.about.signature),
            },
            "Cite",
          ),
        );
        const answer = ct.source.get("everywhere", { word, at: state.condition, top: 5 });
        await panel.show(
          answer.then((found) => beside(found, state)),
          state,
        );
      }

      return { element, show };
    },
  };
})((window.chronotope = window.chronotope || {}));
