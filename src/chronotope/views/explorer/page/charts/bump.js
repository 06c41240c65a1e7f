// The bump chart: the nearest words in each condition, the nearest on top, each joined with itself in the next column.
(function (ct) {
  "use strict";

  const TOP = 34;
  const ROW = 34;
  const COLUMN = 92;

  ct.charts = ct.charts || {};

  // Which columns are shown: all that fit, always the first, the last and the one that the reader looks at.
  ct.bumpColumns = (answer, state, width) =>
    ct.columns(
      answer.conditions.length,
      Math.max(3, Math.floor(width / COLUMN)),
      answer.conditions.indexOf(state.condition),
    );

  ct.charts.bump = function ({ svg, answer, state, width }) {
    const ordered = answer.axis !== "place" && (answer.axis === "time" || state.place !== null);
    const columns = ct.bumpColumns(answer, state, width);
    const name = ct.namer(state);
    const step = width / columns.length;
    const x = (column) => step * (column + 0.5);
    const y = (rank) => TOP + ROW * (rank - 0.5) + 8;
    const height = TOP + ROW * answer.top + 16;
    svg.setAttribute("height", height);
    const layer = layers(svg, ["now", "heads", "links", "words"]);

    const now = columns.indexOf(answer.conditions.indexOf(state.condition));
    ct.join(
      layer.now,
      now < 0 ? [] : [now],
      () => "now",
      () => ct.s("g", { class: "band" }, ct.s("rect", { rx: 6 })),
      (group) => {
        ct.move(group, x(now) - step / 2 + 2, 0);
        ct.set(group.firstChild, { width: step - 4, height });
      },
    );

    ct.join(
      layer.heads,
      columns.map((condition, column) => ({ label: answer.conditions[condition], column })),
      (head) => head.label,
      () => ct.s("g", { class: "head" }, ct.s("text", { "text-anchor": "middle", y: 20 })),
      (group, head) => {
        ct.move(group, x(head.column), 0);
        group.classList.toggle("now", head.column === now);
        group.firstChild.textContent = ct.format.clip(name(head.label), Math.floor(step / 7));
      },
    );

    const words = [];
    const links = [];
    for (const neighbor of answer.neighbors) {
      const ranks = columns.map((condition) => neighbor.ranks[condition]);
      const kind = kindOf(neighbor.ranks, ordered);
      ranks.forEach((rank, column) => {
        if (rank === null) return;
        words.push({ word: neighbor.word, column, rank, kind, neighbor });
        const next = ordered && column + 1 < ranks.length ? ranks[column + 1] : null;
        if (next !== null && next !== undefined) links.push({ word: neighbor.word, column, rank, next, kind });
      });
    }

    ct.join(
      layer.links,
      links,
      (link) => `${link.word}|${answer.conditions[columns[link.column]]}`,
      () => ct.s("path"),
      (path, link) => {
        path.setAttribute("class", `link ${link.kind}`);
        path.dataset.word = link.word;
        const [x1, x2] = [x(link.column), x(link.column + 1)];
        const bend = (x2 - x1) * 0.45;
        ct.shape(
          path,
          `M${ct.round(x1)} ${y(link.rank)}C${ct.round(x1 + bend)} ${y(link.rank)} ${ct.round(x2 - bend)} ${y(link.next)} ${ct.round(x2)} ${y(link.next)}`,
        );
      },
    );

    const most = Math.max(5, Math.floor(step / 7.4));
    ct.join(
      layer.words,
      words,
      (item) => `${item.word}|${answer.conditions[columns[item.column]]}`,
      () => ct.s("a", null, ct.s("text", { "text-anchor": "middle", "dominant-baseline": "central" })),
      (link, item) => {
        const condition = answer.conditions[columns[item.column]];
        ct.move(link, x(item.column), y(item.rank));
        link.setAttribute("class", `word ${item.kind}`);
        link.dataset.word = item.word;
        link.setAttribute("href", ct.address.write("word", [item.word], { at: state.at, place: state.place }));
        link.firstChild.textContent = ct.format.clip(item.word, most);
        ct.tell(link, [
          item.word,
          `${ct.format.ordinal(item.rank)} nearest in ${name(condition)}`,
          whereNear(item.neighbor, answer, name),
        ]);
      },
    );
    highlightTogether(svg);
  };

  // Over time: a word of the first half, of the second, or of both. Over places: a word of several places, or of one.
  function kindOf(ranks, ordered) {
    if (!ordered) return ranks.filter((rank) => rank !== null).length > 1 ? "both" : "late";
    const half = ranks.length / 2;
    const early = ranks.some((rank, at) => rank !== null && at + 0.5 < half);
    const late = ranks.some((rank, at) => rank !== null && at + 0.5 > half);
    return early === late ? "both" : early ? "early" : "late";
  }

  function whereNear(neighbor, answer, name) {
    const found = answer.conditions.filter((_, at) => neighbor.ranks[at] !== null);
    const some = found.slice(0, 4).map(name).join(", ");
    return found.length > 1
      ? `among the nearest in ${found.length} of ${answer.conditions.length}: ${some}${found.length > 4 ? ", …" : ""}`
      : null;
  }

  // Pointing at a word anywhere follows it through all columns.
  function highlightTogether(svg) {
    if (svg.dataset.follows) return;
    svg.dataset.follows = "yes";
    const mark = (word) => {
      for (const element of svg.querySelectorAll("[data-word]")) {
        element.classList.toggle("faded", word !== null && element.dataset.word !== word);
      }
    };
    const wordOf = (event) =>
      (event.target.closest ? (event.target.closest("[data-word]") || { dataset: {} }).dataset.word : null) || null;
    // The listeners stand outside of the picture: an SVG element that listens for focus takes part in the Tab order.
    const around = svg.parentNode;
    around.addEventListener("pointerover", (event) => mark(wordOf(event)));
    around.addEventListener("pointerleave", () => mark(null));
    around.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && mark(wordOf(event)));
    around.addEventListener("focusout", () => mark(null));
  }

  // The layers of a chart, made once, from back to front.
  function layers(svg, names) {
    const found = {};
    for (const name of names) {
      found[name] = svg.querySelector(`:scope > g[data-layer="${name}"]`);
      if (!found[name]) {
        found[name] = ct.s("g", { "data-layer": name });
        svg.append(found[name]);
      }
    }
    return found;
  }

  ct.layers = layers;
})((window.chronotope = window.chronotope || {}));
