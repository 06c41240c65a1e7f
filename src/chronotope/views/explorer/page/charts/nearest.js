// The nearest words in one condition: rows that move when the condition does.
(function (ct) {
  "use strict";

  ct.charts = ct.charts || {};

  const ROW = 32;

  ct.charts.nearest = function ({ svg, answer, state, width }) {
    const matches = answer.rows[0] ? answer.rows[0].matches : [];
    const support = answer.rows[0] ? answer.rows[0].support : 0;
    svg.setAttribute("height", ROW * Math.max(matches.length, 1) + 4);
    const words = Math.min(Math.max(90, ...matches.map((match) => ct.wide(match.word, 16) + 20)), width * 0.55);
    const end = width - 44;
    const x = ct.linear(0, 1, words, end);
    const layer = ct.layers(svg, ["rows"]);
    ct.join(
      layer.rows,
      matches.map((match, at) => ({ match, at })),
      (item) => item.match.word,
      () =>
        ct.s(
          "a",
          null,
          ct.s("rect", { class: "hit only-here", height: ROW }),
          ct.s("text", { class: "neighbor", "dominant-baseline": "central", y: ROW / 2 }),
          ct.s("line", { class: "track", y1: ROW / 2, y2: ROW / 2 }),
          ct.s("line", { class: "value", y1: ROW / 2, y2: ROW / 2 }),
          ct.s("text", { class: "figure", "text-anchor": "end", "dominant-baseline": "central", y: ROW / 2 }),
        ),
      (link, { match, at }) => {
        const [hit, word, track, value, figure] = link.children;
        ct.move(link, 0, at * ROW + 2);
        link.setAttribute("class", "row");
        link.setAttribute("href", ct.address.write("word", [match.word], { at: state.at, place: state.place }));
        word.textContent = ct.format.clip(match.word, Math.floor(words / 8.4));
        ct.set(hit, { width });
        ct.set(track, { x1: words, x2: end });
        ct.set(value, {
          x1: words,
          x2: Math.max(words, x(match.cosine)),
          "stroke-opacity": ct.round(ct.trust(Math.min(match.support, support || 0))),
        });
        figure.textContent = ct.format.number(match.cosine);
        figure.setAttribute("x", width);
        ct.tell(link, [
          match.word,
          `similarity ${ct.format.number(match.cosine)} in ${ct.format.label(state.condition)}`,
          `${match.word} occurs there ${ct.format.times(match.support)}`,
        ]);
      },
    );
  };
})((window.chronotope = window.chronotope || {}));
