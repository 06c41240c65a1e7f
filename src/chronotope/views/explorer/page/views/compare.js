// Two to five words side by side: how each changed, how often each occurs, how similar they are.
"use strict";

{
  const MOST = 5;

  ct.views.compare = {
    uses: { place: true },
    title: (address) => (address.words.length ? `Compare ${address.words.map(ct.format.word).join(", ")}` : "Compare words"),
    create() {
      const go = (next) => ct.address.go("compare", next, { ...ct.address.current().params, base: null });
      const picker = ct.wordPicker({ title: "Words compared", label: "Add a word", placeholder: "Add a word", go });
      const deck = ct.h("p", { class: "deck", role: "status" });
      const notice = ct.h("div", { class: "notices" });
      const base = ct.h("select", { onchange: () => ct.address.change({ base: base.value }, true) });
      const cite = ct.h("button", { type: "button", onclick: () => ct.cite(`Comparison of ${ct.format.list(words.map(ct.format.quoted))}`) }, "Cite");
      // One color for each word, in every chart.
      const extra = () => ({ colors: words });
      const panels = {
        series: ct.panel({
          class: "wide",
          plain: "How much the use of each stayed the same",
          lead: (answer) => {
            const first = [...ct.groups(answer.rows, "word")].map(([word, rows]) => [word, (rows.find((row) => row.against) || {}).against]);
            const same = new Set(first.map(([, against]) => against));
            const each = same.size === 1 ? ct.format.label(first[0][1]) : first.map(([word, against]) => `${ct.format.word(word)}: ${ct.format.label(against)}`).join(", ");
            return ct.about.times.length
              ? `Similarity of each word with its own use at the first time where it occurs often enough (${each}). A falling line means that the use changes.`
              : "Similarity of each word in a place with its own use in all other places.";
          },
          extra,
          chart: () => ({ ...ct.questions.series.chart, band: null }),
        }),
        pairs: ct.panel({ plain: "How near to each other", lead: () => `Similarity of ${ct.format.quoted(base.value)} with each other word: the higher, the more similar their use.`, extra }),
        often: ct.panel({
          plain: "How often each is used",
          lead: "Occurrences per million words.",
          extra,
          chart: () => ({ ...ct.questions.series.chart, y: "per_million", band: null }),
          notes: () => [],
        }),
      };
      panels.pairs.header.append(ct.h("label", { class: "choice" }, ct.h("span", null, "Compare with"), base));
      const holder = ct.h("div", { class: "panels" }, panels.series.element, panels.pairs.element, ct.about.counted ? panels.often.element : null);
      const element = ct.h(
        "div",
        { class: "compare-page" },
        ct.h("div", { class: "opening" }, ct.h("h1", null, "Compare words"), deck, ct.h("div", { class: "picker" }, picker.elements, cite), notice),
        holder,
      );
      /** @type {string[]} */
      let words = [];
      // The same as on the page of a word.
      const usual = ct.about.times.length ? "first" : "overall";

      /** @type {View["show"]} */
      async function show(address, state, turn) {
        const asked = [...new Set(address.words)];
        // An unknown word is named with similar words; the others stay.
        const found = await Promise.all(asked.map((word) => ct.source.get("series", { word, against: usual, place: state.within }).then(() => /** @type {any} */ (null), (error) => error)));
        if (!turn.current()) return;
        const lost = found.find((error) => error && error.kind !== "unknown_word");
        if (lost && asked.length === found.filter(Boolean).length) throw lost;
        const known = asked.filter((_, at) => !found[at]);
        words = known.slice(0, MOST);
        const beyond = known.slice(MOST);
        const instead = (word, other) => ct.address.write("compare", [...new Set(asked.map((one) => (one === word ? other : one)))], address.params);
        ct.replace(
          notice,
          asked.map((word, at) =>
            found[at]
              ? ct.h(
                  "p",
                  { class: "notice", role: "alert" },
                  found[at].kind === "unknown_word" ? `${ct.format.quoted(word)} is not a word of this model.` : `${ct.format.quoted(word)}: ${ct.sentence(found[at].message)}`,
                  (found[at].didYouMean || []).slice(0, 3).map((other, n) => [n ? ", " : " Did you mean ", ct.h("a", { href: instead(word, other) }, ct.format.word(other))]),
                  (found[at].didYouMean || []).length ? "?" : "",
                )
              : null,
          ),
          beyond.length ? ct.h("p", { class: "notice", role: "alert" }, `Five words at most. Not shown: ${ct.format.list(beyond.map(ct.format.word))}.`) : null,
        );
        picker.show(words);
        cite.hidden = holder.hidden = words.length < 2;
        deck.textContent =
          words.length < 2
            ? `Choose two to five words${words.length ? `: one more besides ${ct.format.quoted(words[0])}` : ""}.`
            : `How the use of ${ct.format.list(words.map(ct.format.quoted))} ${ct.about.times.length ? "changed" : "differs by place"}, and how near they are to each other.`;
        if (words.length < 2) return;
        ct.replace(base, ...words.map((word) => ct.h("option", { value: word }, ct.format.word(word))));
        base.value = words.includes(address.params.base) ? address.params.base : words[0];
        const series = ct.ask("series", { word: words, against: usual, place: state.within });
        const pairs = ct.ask("similarity", { word: words, place: state.within });
        await Promise.all([
          panels.series.show(series, state),
          panels.pairs.show({ ...pairs, answer: pairs.answer.then(withBase) }, state),
          ct.about.counted ? panels.often.show(series, state) : null,
        ]);
      }

      /** The pairs of one word, so that each line has the color of the other word. */
      const withBase = (answer) => ({
        ...answer,
        rows: answer.rows
          .filter((row) => [row.word, row.other].includes(base.value))
          .map((row) => (row.word === base.value ? row : { ...row, word: row.other, other: row.word, count: row.other_count, other_count: row.count })),
      });

      return { element, show };
    },
  };
}
