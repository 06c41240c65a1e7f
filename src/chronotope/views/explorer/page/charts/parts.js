// Who plays a word's part: a row a condition, the words near enough, how near they are, and how near is more than chance.
(function (ct) {
  "use strict";

  ct.charts = ct.charts || {};

  ct.charts.parts = function ({ svg, answer, state, width }) {
    const narrow = width < 620;
    const labels = Math.min(
      Math.max(...answer.parts.map((part) => ct.wide(ct.format.label(part.condition), 13))) + 18,
      width * 0.4,
    );
    const tall = narrow ? 56 : 42;
    const top = 44;
    svg.setAttribute("height", top + tall * answer.parts.length + 6);
    const [start, end] = narrow ? [0, width - 14] : [labels, labels + (width - labels) * 0.36];
    const scores = answer.parts
      .flatMap((part) => [part.needed, part.nearest ? part.nearest.cosine : null])
      .filter(ct.known);
    const low = Math.min(0, ...scores);
    const x = ct.linear(low, 1, start, end);
    const layer = ct.layers(svg, ["now", "axis", "rows"]);

    ct.join(
      layer.axis,
      ["axis"],
      String,
      () =>
        ct.s(
          "g",
          { class: "grid" },
          ct.s("text", { y: 14 }),
          ct.s("text", { y: 34, "text-anchor": "end" }),
          ct.s("text", { y: 34 }),
          ct.s("text", { y: 34, "text-anchor": "middle" }),
        ),
      (group) => {
        const [title, one, zero, chance] = group.children;
        chance.textContent = "chance";
        chance.setAttribute("x", answer.parts.length ? x(answer.parts[0].needed) : 0);
        title.textContent = "how near its use is (1: the same)";
        ct.set(title, { x: start, class: "axis" });
        one.textContent = "1";
        one.setAttribute("x", end);
        zero.textContent = ct.format.number(low, 1);
        zero.setAttribute("x", start);
      },
    );
    const now = answer.parts.findIndex((part) => part.condition === state.condition);
    ct.join(
      layer.now,
      now < 0 ? [] : [now],
      () => "now",
      () => ct.s("g", { class: "band" }, ct.s("rect", { rx: 6 })),
      (group) => {
        ct.move(group, 0, top + now * tall + 1);
        ct.set(group.firstChild, { width, height: tall - 2 });
      },
    );

    ct.join(
      layer.rows,
      answer.parts.map((part, at) => ({ part, at })),
      (item) => item.part.condition,
      () =>
        ct.s(
          "g",
          null,
          ct.s("text", { class: "label", "dominant-baseline": "central" }),
          ct.s(
            "g",
            { class: "measure" },
            ct.s("line", { class: "track" }),
            ct.s("line", { class: "value" }),
            ct.s("line", { class: "needed" }),
            ct.s("circle", { r: 5 }),
          ),
          ct.s("g", { class: "found" }),
        ),
      (group, { part, at }) => {
        const [label, measure, found] = group.children;
        const middle = narrow ? 44 : tall / 2;
        const line = narrow ? 18 : tall / 2;
        ct.move(group, 0, top + at * tall);
        const asked = part.condition === answer.at;
        const nearest = part.nearest;
        group.setAttribute("class", `part${part.matches.length ? "" : " nobody"}${at === now ? " now" : ""}`);
        label.textContent = ct.format.clip(ct.format.label(part.condition), Math.floor(labels / 7));
        ct.set(label, { x: narrow ? 6 : 8, y: line });
        const [track, value, needed, dot] = measure.children;
        const score = nearest ? nearest.cosine : null;
        ct.set(track, { x1: start, x2: end, y1: middle, y2: middle });
        ct.set(value, {
          x1: x(Math.max(low, 0)),
          x2: x(ct.known(score) ? score : Math.max(low, 0)),
          y1: middle,
          y2: middle,
        });
        ct.set(needed, { x1: x(part.needed), x2: x(part.needed), y1: middle - 7, y2: middle + 7 });
        ct.set(dot, { cx: x(ct.known(score) ? score : 0), cy: middle, visibility: ct.known(score) ? null : "hidden" });
        ct.set(measure, { role: "img" });
        ct.tell(measure, [
          ct.format.label(part.condition),
          nearest ? `nearest: ${nearest.word}, ${ct.format.number(nearest.cosine)}` : "no word to choose from",
          `more than chance from ${ct.format.number(part.needed)} on`,
        ]);
        const words = part.matches.length ? part.matches : [];
        let left = narrow ? labels : end + 28;
        const shown = [];
        for (const match of words) {
          const wide = ct.wide(match.word, 14) + 14;
          if (shown.length && left + wide > width) break;
          shown.push({ match, left });
          left += wide;
        }
        const none = words.length ? [] : [{ none: true, left }];
        ct.join(
          found,
          [...shown, ...none],
          (item) => (item.none ? "nobody" : `word ${item.match.word}`),
          (item) =>
            item.none
              ? ct.s("text", { class: "none", "dominant-baseline": "central" })
              : ct.s("a", null, ct.s("text", { "dominant-baseline": "central" })),
          (element, item) => {
            ct.move(element, item.left, line);
            if (item.none) {
              const who = nearest ? `nobody (nearest: ${nearest.word})` : "nobody";
              element.textContent = ct.format.clip(who, Math.floor((width - item.left) / 7));
              return;
            }
            element.firstChild.textContent = item.match.word;
            element.setAttribute(
              "class",
              `friend${shown.indexOf(item) ? "" : " best"}${asked && item.match.word === answer.word ? " self" : ""}`,
            );
            element.setAttribute("href", ct.address.write("word", [item.match.word], ct.placeOf(part.condition)));
            ct.tell(element, [
              item.match.word,
              `${ct.format.number(item.match.cosine)} near, in ${ct.format.label(part.condition)}`,
              `occurs there ${ct.format.times(item.match.support)}`,
            ]);
          },
        );
      },
    );
  };
})((window.chronotope = window.chronotope || {}));
