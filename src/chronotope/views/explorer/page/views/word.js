// A word's page: its company here and everywhere, how it changed, where, how often, and the sentences.
(function (ct) {
  "use strict";

  ct.views = ct.views || {};

  // Panels that ask about the word in the place looked at, and those that ask about the word everywhere.
  const OF_PLACE = ["series", "ranks", "heat", "frequency"];
  const OF_WORD = ["trajectory", "map", "grid"];
  const TOGETHER = 150;
  const REST = 900;
  const DRAWS = 50;
  const PANELS = ["nearest", ...OF_PLACE, ...OF_WORD];

  ct.views.word = {
    bar: true,
    title: (address) => address.words[0] || "A word",
    create() {
      const heading = ct.h("h1");
      const gist = ct.h("p", { class: "deck" });
      const actions = ct.h("p", { class: "actions" });
      const panels = {};
      for (const name of PANELS) if (wanted(name)) panels[name] = ct.wordPanels[name]();
      const sentences = ct.sentences();
      const epigraph = ct.epigraph();
      const against = chooser();
      if (panels.series) panels.series.element.querySelector("header").append(against.element);
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
          one("ranks"),
          stack("series", "frequency"),
          stack("heat"),
          one("map"),
          one("grid"),
          one("trajectory"),
          sentences.element,
        ),
      );
      let before = {};
      let asking = { word: null, controller: new AbortController() };
      let latest = null;
      let resting = 0;

      async function show({ words: [word], params }, state, turn) {
        if (asking.word !== word) leave(word);
        const { signal } = asking.controller;
        const get = (name, more) => ct.source.get(name, { word, ...more }, { signal });
        const place = state.within;
        const usual = ct.about.times.length ? "first" : "overall";
        const key = `${word}|${place}|${params.against || ""}`;
        const last = before;
        latest = state;
        // The company comes first: it decides whether there is a page at all, and asks least of a folder on disk.
        const company =
          state.condition === null
            ? Promise.resolve({ word, rows: [] })
            : get("neighbors", { at: state.condition, top: 10 });
        const found = await company;
        if (!turn.current()) return;
        const nearest = found.rows[0] ? found.rows[0].matches.map((match) => match.word) : [];
        heading.textContent = word;
        links(word, state);
        panels.nearest.show(company, state);
        // In a folder the other answers are worked out by the page itself: first it shows what it has.
        if (ct.source.static) await ct.painted();
        if (!turn.current()) return;
        const series = get("series", { against: params.against || usual, place });
        series.then(
          (answer) => turn.rates(ratesOf(answer, state)),
          () => {},
        );
        before = { key, word };
        if (last.key === key) for (const name of OF_PLACE) if (panels[name]) panels[name].update(state);
        if (last.key !== key && panels.series) {
          const changes = changesOf(get, place);
          against.show(params.against || usual);
          opening(word, series, changes, state);
          const both = (answer) => changes.then((points) => ({ series: answer, changes: points }));
          panels.series.show(series.then(both), state);
          clearTimeout(resting);
          if (ct.about.available.bands)
            resting = setTimeout(
              () =>
                addBand(key, () =>
                  get("series", { against: params.against || usual, place, bootstrap: DRAWS }).then(both),
                ),
              REST,
            );
          if (panels.frequency)
            panels.frequency.show(
              series.then((answer) => frequency(get, answer, place)),
              state,
            );
          panels.ranks.show(get("ranks", { place, top: 6 }), state);
          panels.heat.show(get("similarity", { place }), state);
        }
        for (const name of OF_WORD) {
          if (!panels[name]) continue;
          if (last.word === word) panels[name].update(state);
          else panels[name].show(get(name), state);
        }
        if (panels.map && last.word !== word)
          get("map").then(
            (answer) => heading.textContent === word && apart(answer),
            () => {},
          );
        sentences.show(word, state, params, nearest);
        epigraph.show(word, state);
        // What is ready at once is shown with the page, so that nothing jumps.
        await Promise.race([series.catch(() => null), new Promise((resolve) => setTimeout(resolve, TOGETHER))]);
      }

      // What is still open about the last word is given up: nobody looks at it any more, and the new one waits behind it.
      function leave(word) {
        asking.controller.abort();
        asking = { word, controller: new AbortController() };
        before = {};
        clearTimeout(resting);
        epigraph.leave();
        for (const panel of Object.values(panels)) panel.leave();
      }

      // The band takes a second of work: it is asked for when the reader rests on a word.
      async function addBand(key, ask) {
        try {
          const answer = await ask();
          if (before.key === key) panels.series.show(answer, latest);
        } catch {
          // Without its band the series still stands.
        }
      }

      // How often the word occurs, and whether and when its use changed, in a sentence or two.
      function opening(word, series, changes, state) {
        const where = state.within ? ` in ${state.within}` : "";
        Promise.all([series, changes]).then(
          ([answer, found]) => {
            if (heading.textContent !== word) return;
            const total = answer.support.reduce((sum, count) => sum + count, 0);
            const often = ct.about.counted ? `It occurs ${ct.format.times(total)}${where}. ` : "";
            const points = found ? found.points.filter((point) => point.accepted) : [];
            const none = found ? ["No change of its use stands out among words as frequent."] : [];
            ct.replace(gist, often, ...(points.length ? points.slice(-2).flatMap(changeSentence) : none));
          },
          (error) => error.name !== "AbortError" && ct.replace(gist),
        );
      }

      function apart(found) {
        const rows = found.rows.filter((row) => ct.known(row.value)).sort((a, b) => a.value - b.value);
        if (rows.length < 3) return;
        const place = ct.h(
          "a",
          { href: ct.address.write("word", [found.word], { place: rows[0].place }) },
          rows[0].place,
        );
        gist.append(" Its use stands apart most in ", place, ".");
      }

      function links(word, state) {
        const here = { at: state.at, place: state.place };
        ct.replace(
          actions,
          ct.h(
            "a",
            { class: "action", href: ct.address.write("parts", [word], here) },
            "Who plays its part elsewhere?",
          ),
          ct.h("a", { class: "action", href: ct.address.write("compare", [word], here) }, "Compare with other words"),
          ct.h("a", { class: "action", href: ct.address.write("axis", [word], here) }, "Place it along an axis"),
          ct.h(
            "button",
            {
              type: "button",
              onclick: () => ct.cite(`“${word}” in ${ct.format.label(state.condition)}`, ct.about.signature),
            },
            "Cite",
          ),
        );
      }

      function close() {
        leave(null);
        sentences.close();
      }

      return { element, show, close };
    },
  };

  function wanted(name) {
    const { times, places, available, conditions, counted } = ct.about;
    if (name === "nearest") return true;
    if (name === "frequency" && !counted) return false;
    if (conditions.length < 2) return false;
    if (name === "trajectory") return available.one_space;
    if (name === "map") return places.length > 1 && !times.length && available.one_space;
    if (name === "grid") return places.length > 0 && times.length > 0 && available.one_space;
    return true;
  }

  // What each condition is compared with.
  function chooser() {
    const overall = ["overall", "everywhere else"];
    const options = ct.about.times.length
      ? [["first", "its first use"], ["previous", "one step before"], overall]
      : [overall, ...ct.about.places.map((place) => [place, place])];
    const select = ct.h("select", {
      id: "against",
      onchange: () => ct.address.change({ against: select.value === options[0][0] ? null : select.value }, true),
    });
    for (const [value, text] of options) select.append(ct.h("option", { value }, text));
    return {
      element: ct.h("label", { class: "choice", for: "against" }, ct.h("span", null, "Compare with"), select),
      show(value) {
        select.value = value;
      },
    };
  }

  function changeSentence(point) {
    const words = (movers) => movers.slice(0, 3).flatMap((mover, at) => [at ? ", " : "", ct.wordLink(mover.word)]);
    const parts = [`Its use changed around ${ct.format.label(point.first)}`];
    if (point.joined.length) parts.push(": ", ...words(point.joined), " came nearer");
    if (point.left.length) parts.push(point.joined.length ? "; " : ": ", ...words(point.left), " went away");
    return [...parts, ". "];
  }

  // How often the word occurs in each time bin, for the bar above the slider.
  function ratesOf(series, state) {
    if (!ct.about.counted) return null;
    return ct.about.times.map((time) => {
      const found = ct.about.conditions.find(
        (one) =>
          ct.about.times[one.time] === time && (one.place === null || ct.about.places[one.place] === state.place),
      );
      const at = found ? series.conditions.indexOf(found.label) : -1;
      return at >= 0 ? series.per_million[at] : series.per_million[series.conditions.indexOf(time)] || 0;
    });
  }

  ct.ratesOf = ratesOf;

  // The change points, or null where there is no time to change in or too little text to tell.
  async function changesOf(get, place) {
    if (!ct.about.times.length || !ct.about.available.one_space) return null;
    try {
      return await get("changepoints", { place });
    } catch (error) {
      if (error.kind === "too_rare" || error.kind === "unavailable") return null;
      throw error;
    }
  }

  // With the run, intervals over texts; without it, what the model itself holds.
  async function frequency(get, series, place) {
    const word = series.word;
    if (ct.about.available.counts) {
      const answer = await get("frequency");
      const rows = answer.rows.filter((row) => place === null || ct.placeOf(row.condition).place === place);
      return { word, rows };
    }
    const rows = series.conditions.map((condition, at) => ({
      condition,
      count: series.support[at],
      per_million: series.per_million[at],
      low: null,
      high: null,
      documents: null,
      of_documents: null,
    }));
    return { word, rows, signature: series.signature };
  }
})((window.chronotope = window.chronotope || {}));
