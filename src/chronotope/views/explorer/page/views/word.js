// A word's page: its neighbors here and over time, how its use changed, where, how often, and the sentences.
"use strict";

{
  const TOGETHER = 150;
  const REST = 900;
  const DRAWS = 50;
  // Panels about the word in the chosen place, and panels about the word everywhere.
  const OF_PLACE = ["company", "series", "frequency", "matrix", "changepoints"];
  const OF_WORD = ["map", "grid", "trajectory"];

  ct.views.word = {
    uses: { time: true, place: true },
    title: (address) => ct.format.word(address.words[0] || "A word"),
    create() {
      const heading = ct.h("h1");
      const gist = ct.h("p", { class: "deck" });
      const actions = ct.h("p", { class: "actions" });
      /** @type {string[]} the first bins after significant changes */
      let changed = [];
      const marks = () => ({
        keep: changed,
        changes: changed.map((label) => ({ label, text: `change: ${ct.format.label(ct.placeOf(label).at || label)}` })),
      });
      /** @type {Record<string, Panel>} */
      const panels = {};
      for (const [name, options] of Object.entries(ct.wordPanels))
        if (wanted(name)) panels[name] = ct.panel(name === "frequency" ? options : { ...options, extra: marks });
      const sentences = ct.sentences();
      const epigraph = ct.epigraph();
      const against = chooser();
      const drawn = companyChooser();
      if (panels.series) panels.series.header.append(against.element);
      if (panels.company) panels.company.header.append(drawn.element);
      const one = (name) => (panels[name] ? panels[name].element : null);
      const stack = (...names) => ct.h("div", { class: "stack" }, names.map(one));
      const element = ct.h(
        "div",
        { class: "word-page" },
        ct.h(
          "div",
          { class: "panels" },
          ct.h("div", { class: "opening" }, heading, gist, actions, epigraph.element),
          one("nearest"),
          one("company"),
          stack("series", "frequency"),
          stack("matrix", "changepoints", "collocates"),
          OF_WORD.map(one),
          sentences.element,
        ),
      );
      /** @type {{key?: string, word?: string}} */
      let before = {};
      let asking = { word: "", controller: new AbortController() };
      /** @type {State} */
      let latest = null;
      let resting = 0;

      /** @type {View["show"]} */
      async function show({ words: [word], params }, state, turn) {
        if (asking.word !== word) leave(word);
        const { signal } = asking.controller;
        const ask = (name, more = {}) => ct.ask(name, { word, ...more }, signal);
        const place = state.within;
        const usual = ct.about.times.length ? "first" : "overall";
        const key = `${word}|${place}|${params.against || ""}`;
        const last = before;
        latest = state;
        // The neighbors come first: they show whether the word exists, and need few files of a folder.
        const nearest = ask("neighbors", { at: state.condition, top: 10, fallback: params.fallback ? true : null });
        const found = await nearest.answer.catch((error) => {
          if (["too_rare", "unavailable", "bad_request"].includes(error.kind)) return /** @type {Answer} */ ({ rows: [] });
          throw error;
        });
        if (!turn.current()) return;
        heading.textContent = ct.format.word(word);
        heading.dataset.word = word;
        links(word, state);
        panels.nearest.show(nearest, state);
        // In a folder the page computes the other answers itself: first it shows the neighbors.
        if (ct.source.static) await ct.painted();
        if (!turn.current()) return;
        const settings = { against: params.against || usual, place };
        const series = ask("series", settings);
        series.answer.then((answer) => turn.rates(ct.ratesOf(answer, state)), () => {});
        before = { key, word };
        drawn.show(params.company || "");
        if (last.key === key) for (const name of OF_PLACE) if (panels[name]) panels[name].update(state);
        if (last.key !== key && panels.series) {
          against.show(params.against || usual);
          const points = panels.changepoints && ask("changepoints", { place });
          const changes = points ? points.answer.then((answer) => answer.rows, () => /** @type {Row[]} */ (null)) : Promise.resolve(/** @type {Row[]} */ (null));
          changes.then((rows) => {
            if (heading.dataset.word !== word) return;
            changed = (rows || []).map((row) => row.after);
            for (const name of ["series", "company", "matrix"]) if (panels[name]) panels[name].update(latest);
          });
          opening(word, series.answer, changes, state);
          panels.series.show(series, state);
          clearTimeout(resting);
          // The band takes a second: it is computed when the reader stays on a word. The line does not change.
          if (ct.about.available.bands)
            resting = setTimeout(async () => {
              const asked = ask("series", { ...settings, bootstrap: DRAWS });
              await asked.answer.then(() => before.key === key && panels.series.show(asked, latest), () => {});
            }, REST);
          if (points) panels.changepoints.show(points, state);
          if (panels.frequency) panels.frequency.show(ct.about.available.counts ? frequency(ask("frequency"), place) : series, state);
          panels.company.show(ask("neighbors", { at: "all", place, top: 6 }), state);
          panels.matrix.show(ask("matrix", { place }), state);
        }
        if (panels.collocates) panels.collocates.show(ask("collocates", { at: state.condition, top: 12 }), state);
        for (const name of OF_WORD) {
          if (!panels[name]) continue;
          if (last.word === word) panels[name].update(state);
          else panels[name].show(ask(name), state);
        }
        sentences.show(word, state, params, found.rows.map((row) => row.neighbor));
        epigraph.show(word, state);
        // Answers that are ready soon are shown with the page, so that nothing jumps.
        await Promise.race([series.answer.catch(() => {}), new Promise((resolve) => setTimeout(resolve, TOGETHER))]);
      }

      /** Abort open questions about the last word: those about the new one would wait for them. */
      function leave(word) {
        asking.controller.abort();
        asking = { word, controller: new AbortController() };
        before = {};
        changed = [];
        clearTimeout(resting);
        epigraph.leave();
        for (const panel of Object.values(panels)) panel.leave();
      }

      /** How often the word occurs, and when its use changed, in a sentence or two. */
      function opening(word, series, changes, state) {
        Promise.all([series, changes]).then(
          ([answer, found]) => {
            if (heading.dataset.word !== word) return;
            const every = answer.rows.reduce((sum, row) => sum + row.count, 0);
            const total = state.within ? every : every / ct.about.levels; // a text counts once in each level of its place
            const often = ct.about.counted ? `It occurs ${ct.format.times(total)}${state.within ? ` in ${state.within}` : ""}. ` : "";
            const none = found ? ["No change of its use is significant."] : [];
            ct.replace(gist, often, ...(found && found.length ? found.slice(-2).flatMap(changeSentence) : none));
          },
          (error) => (error.name === "AbortError" ? undefined : ct.replace(gist)),
        );
      }

      function links(word, state) {
        const here = { at: state.at, place: state.place };
        const link = (view, text) => ct.h("a", { class: "action", href: ct.address.write(view, [word], here) }, text);
        ct.replace(
          actions,
          link("parts", "Its equivalents elsewhere"),
          link("sides", ct.about.times.length ? "Two times side by side" : "Two places side by side"),
          link("compare", "Compare with other words"),
          link("axis", "Place it on an axis"),
          ct.h("button", { type: "button", onclick: () => ct.cite(`“${word}” ${ct.format.in(state.condition || state.at || state.place)}`) }, "Cite"),
        );
      }

      return { element, show, close: () => leave("") };
    },
  };

  /** Whether this model can fill a panel. */
  function wanted(name) {
    const { times, places, available, conditions, counted } = ct.about;
    if (name === "nearest") return true;
    if (name === "frequency" && !counted) return false;
    if (name === "collocates") return available.counts;
    if (conditions.length < 2) return false;
    if (name === "changepoints") return times.length > 1 && available.one_space;
    if (name === "trajectory") return available.one_space;
    if (name === "map") return places.length > 1 && available.one_space;
    if (name === "grid") return places.length > 0 && times.length > 0 && available.one_space;
    return true;
  }

  function selecting(text, options, choose) {
    const select = ct.h("select", { onchange: () => choose(select.value) });
    for (const [value, name] of options) select.append(ct.h("option", { value }, name));
    return {
      element: ct.h("label", { class: "choice" }, ct.h("span", null, text), select),
      show(value) {
        select.value = value;
      },
    };
  }

  /** The choice of the partner that each condition is compared with. */
  function chooser() {
    /** @type {[string, string][]} */
    const options = ct.about.times.length
      ? [["first", "its first use"], ["previous", "the time before"], ["overall", "all others"]]
      : [["overall", "all others"], .../** @type {[string, string][]} */ (ct.about.places.map((place) => [place, place]))];
    return selecting("Compare with", options, (value) => ct.address.change({ against: value === options[0][0] ? null : value }, true));
  }

  const companyChooser = () =>
    selecting("Show", [["", "ranks"], ["lines", "similarity"]], (value) => ct.address.change({ company: value || null }, true));

  function changeSentence(point) {
    const words = (all) => all.slice(0, 3).flatMap((word, at) => [at ? ", " : "", ct.wordLink(word)]);
    /** @type {any[]} */
    const parts = [`Its use changed ${ct.format.in(ct.placeOf(point.after).at || point.after)}`];
    if (point.joined.length) parts.push(": ", ...words(point.joined), " came nearer");
    if (point.left.length) parts.push(point.joined.length ? "; " : ": ", ...words(point.left), " moved away");
    return [...parts, ". "];
  }

  /** How often the word occurs in each time bin, for the bars above the slider. */
  ct.ratesOf = function (series, state) {
    if (!ct.about.counted) return /** @type {number[]} */ (null);
    const rates = new Map(series.rows.map((row) => [row.condition, row.per_million]));
    return ct.about.times.map((time, at) => {
      const here = ct.about.conditions.find((one) => one.time === at && (one.place === null || ct.about.places[one.place] === state.place));
      return (here && rates.get(here.label)) ?? rates.get(time) ?? 0;
    });
  };

  /** Frequencies in one place. */
  const frequency = (asked, place) => ({
    ...asked,
    answer: asked.answer.then((answer) => ({ ...answer, rows: answer.rows.filter((row) => place === null || ct.placeOf(row.condition).place === place) })),
  });
}
