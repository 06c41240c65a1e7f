// The charts of a word among others: what each shows, what it says about itself, and the table behind it.
(function (ct) {
  "use strict";

  const format = ct.format;
  const MOST_TILES = 60;
  const MOST_PLACES = 48;
  const quoted = (word) => format.quoted(word);
  const label = (text) => format.label(text);

  ct.wordPanels = {
    nearest: () =>
      ct.panel({
        class: "nearest",
        plain: "Its company",
        title: (answer, state) => `Its company in ${label(state.condition)}`,
        lead: (answer) => {
          const row = answer.rows[0];
          return row && row.support && ct.about.counted
            ? `The words used most like ${quoted(answer.word)}, which occurs here ${format.times(row.support)}. Follow one to its own page.`
            : `The words used most like ${quoted(answer.word)}.`;
        },
        caution: (answer, state) => {
          const support = answer.rows[0] ? answer.rows[0].support : 0;
          if (!support)
            return `${quoted(answer.word)} does not occur in ${label(state.condition)}: what is shown rests on its other occurrences alone.`;
          return support < 20
            ? `With ${support === 1 ? "a single occurrence" : `only ${support} occurrences`} this is a guess: read the sentences.`
            : null;
        },
        empty: (answer) =>
          answer.rows.length && answer.rows[0].matches.length
            ? null
            : "No word occurs here often enough to be a neighbor.",
        draw: ct.charts.nearest,
        label: (answer, state) =>
          `The words nearest to ${answer.word} in ${label(state.condition)}; the same as a table below`,
        table: (answer, state) => ({
          columns: ["word", ct.axisName(), "similarity", "occurrences"],
          rows: (answer.rows[0] ? answer.rows[0].matches : []).map((match) => [
            match.word,
            state.condition,
            match.cosine,
            match.support,
          ]),
        }),
        subject: (answer) => answer.word,
        name: (answer, state) => `company-${answer.word}-${state.condition}`,
      }),

    ranks: () =>
      ct.panel({
        class: "ranks wide",
        plain: "How its company changed",
        title: (answer) => (answer.axis === "place" ? "Its company in each place" : "How its company changed"),
        lead: (answer) =>
          answer.axis === "place"
            ? [
                `The ${answer.top} nearest words in each place, the nearest on top. `,
                ct.h("span", { class: "key late" }, "Orange"),
                " words are near in that place alone.",
              ]
            : [
                `The ${answer.top} nearest words at each time, the nearest on top. `,
                ct.h("span", { class: "key early" }, "Blue"),
                " words belong to the first half, ",
                ct.h("span", { class: "key late" }, "orange"),
                " ones to the second, ",
                ct.h("span", { class: "key both" }, "gray"),
                " ones to both.",
              ],
        caution: (answer, state) => {
          const { conditions, places } = ct.about;
          const all = conditions.filter((one) => state.within === null || places[one.place] === state.within);
          return answer.conditions.length < all.length
            ? `Left out: where the word occurs fewer than ${answer.min_count} times.`
            : null;
        },
        empty: (answer) =>
          answer.conditions.length ? null : `It occurs nowhere as often as ${answer.min_count} times.`,
        draw: ct.charts.bump,
        label: (answer) =>
          `The nearest words of ${answer.word} by rank in ${answer.conditions.length} columns; the same as a table below`,
        table: (answer) => ({
          columns: ["word", ...answer.conditions],
          rows: answer.neighbors.map((one) => [one.word, ...one.ranks]),
        }),
        subject: (answer) => answer.word,
        name: (answer) => `neighbors-${answer.word}`,
      }),

    trajectory: () =>
      ct.panel({
        class: "trajectory wide",
        plain: "Where it went",
        title: (answer) => (answer.axis === "place" ? "Where it stands in each place" : "Where it went"),
        lead: (answer, state) =>
          `${answer.axis === "place" ? "The word in each place" : "The path of the word"} among its neighbors. Bold words are near it in ${label(state.condition)}.`,
        caution: (answer) =>
          `Only nearness means something here; directions and exact distances do not. ${answer.note ? `${answer.note}.` : ""}`,
        empty: (answer) =>
          answer.path.length > 1 ? null : "It occurs often enough at too few times or places to draw a path.",
        draw: ct.charts.plane,
        label: (answer) => `The path of ${answer.word} among the words near it; the same as a table below`,
        table: (answer) => ({
          columns: ["point", "kind", "x", "y", "near in, or occurrences"],
          rows: [
            ...answer.path.map((point) => [point.condition, "path", point.x, point.y, point.support]),
            ...answer.company.map((one) => [one.word, "company", one.x, one.y, one.near_in.join(" ")]),
          ],
        }),
        subject: (answer) => answer.word,
        name: (answer) => `path-${answer.word}`,
      }),

    map: () =>
      ct.panel({
        class: "map wide",
        title: "Where its use is usual, and where it stands apart",
        lead: "How similar its use in each place is to its use in all the others: the stronger the color, the more usual. Choose a place to look at it.",
        caution: (answer) =>
          answer.rows.some((row) => !ct.known(row.value))
            ? `Empty: it occurs there fewer than ${answer.min_count} times. Few occurrences are drawn fainter.`
            : "Few occurrences are drawn fainter.",
        draw: ct.charts.places,
        label: (answer) => `How usual the use of ${answer.word} is in each place; the same as a table below`,
        table: (answer) => ({
          columns: ["place", "similarity with the others", "occurrences"],
          rows: answer.rows.map((row) => [row.place, row.value, row.support]),
        }),
        subject: (answer) => answer.word,
        name: (answer) => `places-${answer.word}`,
      }),

    grid: () =>
      ct.panel({
        class: "grid wide",
        title: "Over time and place",
        lead: "How similar its use at each time in each place is to all the rest. A frame marks the first time after a change that stands out in that place.",
        caution: (answer) =>
          `Empty: it occurs there fewer than ${answer.min_count} times. Places that changed first are on top.${answer.places.length > MOST_PLACES ? " The table has all places." : ""}`,
        empty: (answer) => (answer.values.flat().some(ct.known) ? null : "It is too rare everywhere."),
        draw: ({ svg, answer, state, width }) => {
          const order = gridOrder(answer, state);
          const times = ct.columns(answer.times.length, MOST_TILES, -1);
          const labels = times.map((at) => answer.times[at]);
          ct.heat({
            svg,
            width,
            across: labels,
            down: order.map((at) => answer.places[at]),
            values: order.map((place) => times.map((time) => answer.values[time][place])),
            nowAcross: labels.indexOf(state.at),
            nowDown: order.findIndex((at) => answer.places[at] === state.place),
            framed: answer.changes
              .filter((change) => change.accepted && change.first)
              .map((change) => ({
                across: labels.indexOf(change.first),
                down: order.indexOf(answer.places.indexOf(change.place)),
              }))
              .filter((frame) => frame.across >= 0 && frame.down >= 0),
            square: false,
            most: 100,
            tip: (y, x) => [
              `${answer.places[order[y]]}, ${label(labels[x])}: ${format.number(answer.values[times[x]][order[y]])}`,
              `occurs here ${format.times(answer.support[times[x]][order[y]])}`,
            ],
            choose: (y, x) => ct.address.change({ at: labels[x], place: answer.places[order[y]] }),
          });
        },
        label: (answer) =>
          `The use of ${answer.word} over ${answer.times.length} times and ${answer.places.length} places; the same as a table below`,
        table: (answer) => ({
          columns: ["place", ...answer.times],
          rows: answer.places.map((place, at) => [place, ...answer.values.map((row) => row[at])]),
        }),
        subject: (answer) => answer.word,
        name: (answer) => `grid-${answer.word}`,
      }),
  };

  function gridOrder(answer, state) {
    const listed = answer.changes.map((change) => answer.places.indexOf(change.place)).filter((at) => at >= 0);
    const order = [...listed, ...answer.places.map((_, at) => at).filter((at) => !listed.includes(at))];
    const chosen = answer.places.indexOf(state.place);
    return order.filter((at, rank) => rank < MOST_PLACES || at === chosen);
  }
})((window.chronotope = window.chronotope || {}));
