// A word's page: its company here and everywhere, how it changed, where, how often, and the sentences.
(function (ct) {
  "use strict";

  ct.views = ct.views || {};

  const PANELS = ["nearest", "ranks", "series", "frequency", "trajectory", "heat", "map", "grid"];

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
      const against = chooser();
      if (panels.series) panels.series.element.querySelector("header").append(against.element);
      const one = (name) => (panels[name] ? panels[name].element : null);
      const stack = (...names) => ct.h("div", { class: "stack" }, names.map(one));
      const element = ct.h(
        "div",
        { class: "word-page" },
        ct.h("div", { class: "panels" }, ct.h("div", { class: "opening" }, heading, gist, actions), one("nearest"), one("ranks"), stack("series", "frequency"), stack("heat"), one("map"), one("grid"), one("trajectory"), sentences.element),
      );
      let before = {};
      let nearest = [];

      async function show({ words: [word], params }, state, settle) {
        const get = (name, more) => ct.source.get(name, { word, ...more });
        const place = state.within;
        const usual = ct.about.times.length ? "first" : "overall";
        const series = get("series", { against: params.against || usual, place });
        // The first question decides whether there is a page at all: an unknown word never gets here.
        const first = await series;
        settle.rates(ratesOf(first, state));
        const key = `${word}|${place}|${params.against || ""}`;
        const whole = before.key !== key;
        const asked = [];
        if (before.word !== word || before.condition !== state.condition) asked.push(askNearest());
        if (whole) {
          const changes = ct.about.times.length && ct.about.available.one_space ? get("changepoints", { place }) : Promise.reject(new Error("no time"));
          opening(word, first, changes, state);
          against.show(params.against || usual);
          asked.push(panels.series.show(changes.then((found) => found, () => null).then((found) => ({ series: first, changes: found })), state));
          asked.push(panels.ranks.show(get("ranks", { place, top: 6 }), state));
          for (const [name, question] of [["heat", () => get("similarity", { place })], ["frequency", () => frequency(word, first, place)]]) if (panels[name]) panels[name].show(question(), state);
        } else for (const name of ["series", "ranks", "heat", "frequency"]) if (panels[name]) panels[name].update(state);
        for (const [name, question] of [["trajectory", "trajectory"], ["map", "map"], ["grid", "grid"]]) {
          if (!panels[name]) continue;
          if (before.word !== word) {
            const answer = get(question);
            panels[name].show(answer, state);
            if (name === "map") answer.then((found) => heading.textContent === word && apart(found), () => {});
          }
          else panels[name].update(state);
        }
        before = { key, word, condition: state.condition };
        links(word, params, state);
        heading.textContent = word;
        await Promise.allSettled(asked);
        sentences.show(word, state, params, nearest);

        function askNearest() {
          if (state.condition === null) return panels.nearest.show(Promise.reject(Object.assign(new Error(`There is no text for ${ct.format.label(state.at)} in ${state.place}.`), { kind: "too_rare" })), state);
          const answer = get("neighbors", { at: state.condition, top: 10 });
          return panels.nearest.show(
            answer.then((found) => {
              nearest = found.rows[0] ? found.rows[0].matches.map((match) => match.word) : [];
              return found;
            }),
            state,
          );
        }
      }

      function opening(word, series, changes, state) {
        const total = series.support.reduce((sum, count) => sum + count, 0);
        const where = state.within ? ` in ${state.within}` : "";
        const often = `It occurs ${ct.format.times(total)}${where}.`;
        gist.textContent = often;
        changes.then(
          (found) => {
            if (heading.textContent !== word) return;
            const points = found.points.filter((point) => point.accepted);
            ct.replace(gist, `${often} `, ...(points.length ? points.slice(-2).flatMap(changeSentence) : ["No change of its use stands out among words as frequent."]));
          },
          () => {},
        );
      }

      function apart(found) {
        const rows = found.rows.filter((row) => ct.known(row.value)).sort((a, b) => a.value - b.value);
        if (rows.length < 3) return;
        const place = ct.h("a", { href: ct.address.write("word", [found.word], { place: rows[0].place }) }, rows[0].place);
        gist.append(" Its use stands apart most in ", place, ".");
      }

      function links(word, params, state) {
        const here = { at: state.at, place: state.place };
        ct.replace(
          actions,
          ct.h("a", { class: "action", href: ct.address.write("parts", [word], here) }, "Who plays its part elsewhere?"),
          ct.h("a", { class: "action", href: ct.address.write("compare", [word], here) }, "Compare with other words"),
          ct.h("a", { class: "action", href: ct.address.write("axis", [word], here) }, "Place it along an axis"),
          ct.h("button", { type: "button", onclick: () => ct.cite(`“${word}” in ${ct.format.label(state.condition)}`, ct.about.signature) }, "Cite"),
        );
      }

      return { element, show, close: () => sentences.close() };
    },
  };

  function wanted(name) {
    const { times, places, available, conditions } = ct.about;
    if (name === "nearest") return true;
    if (conditions.length < 2) return false;
    if (name === "trajectory") return available.one_space;
    if (name === "map") return places.length > 1 && !times.length && available.one_space;
    if (name === "grid") return places.length > 0 && times.length > 0 && available.one_space;
    return true;
  }

  // What each condition is compared with.
  function chooser() {
    const overall = ["overall", "everywhere else"];
    const options = ct.about.times.length ? [["first", "its first use"], ["previous", "one step before"], overall] : [overall, ...ct.about.places.map((place) => [place, place])];
    const select = ct.h("select", { id: "against", onchange: () => ct.address.change({ against: select.value === options[0][0] ? null : select.value }, true) });
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
    return ct.about.times.map((time) => {
      const found = ct.about.conditions.find((one) => ct.about.times[one.time] === time && (one.place === null || ct.about.places[one.place] === state.place));
      const at = found ? series.conditions.indexOf(found.label) : -1;
      return at >= 0 ? series.per_million[at] : series.per_million[series.conditions.indexOf(time)] || 0;
    });
  }

  ct.ratesOf = ratesOf;

  // With the run, intervals over texts; without it, what the model itself holds.
  async function frequency(word, series, place) {
    if (ct.about.available.counts) {
      const answer = await ct.source.get("frequency", { word });
      const rows = answer.rows.filter((row) => place === null || ct.placeOf(row.condition).place === place);
      return { word, rows };
    }
    const rows = series.conditions.map((condition, at) => ({ condition, count: series.support[at], per_million: series.per_million[at], low: null, high: null, documents: null, of_documents: null }));
    return { word, rows, signature: series.signature };
  }
})((window.chronotope = window.chronotope || {}));
