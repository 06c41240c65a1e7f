// The bump chart: the nearest words in each condition, the nearest on top, each joined with itself in the next column.
// Its rows are those of neighbors with at=all; a row without a rank is not among the nearest there.
"use strict";

{
  const TOP = 34;
  const ROW = 34;
  const COLUMN = 92;

  /** @type {Draw} */
  ct.charts.bump = function ({ svg, answer, state, width, keep = [] }) {
    const rows = answer.rows.filter((row) => ct.known(row.rank));
    const conditions = ct.labelsOf(rows, "condition");
    const ordered = answer.facts.axis !== "place";
    const line = ordered ? ct.timeline(conditions) : conditions;
    const most = Math.max(3, Math.floor(width / COLUMN));
    const keptAt = [state.condition, ...keep].map((label) => conditions.indexOf(label));
    // Columns of places, which have no order, may continue below; of times, some are hidden.
    const shown = ordered ? ct.columns(conditions.length, most, keptAt).map((at) => conditions[at]) : conditions;
    const across = Math.min(shown.length, ordered ? shown.length : most);
    const name = ct.namer(state);
    const step = width / across;
    const tall = TOP + ROW * Math.max(...rows.map((row) => row.rank)) + 16;
    const x = (column) => step * ((column % across) + 0.5);
    const above = (column) => Math.floor(column / across) * (tall + 12);
    const y = (rank, column = 0) => above(column) + TOP + ROW * (rank - 0.5) + 8;
    svg.setAttribute("height", String(above(shown.length - 1) + tall));
    const layer = ct.layers(svg, ["now", "heads", "links", "words"]);
    const now = shown.indexOf(state.condition);
    ct.band(layer.now, now < 0 ? null : { x: x(now) - step / 2 + 2, y: above(now), width: step - 4, height: tall });
    ct.join(layer.heads, shown, String, () => ct.s("g", { class: "head" }, ct.s("text", { "text-anchor": "middle", y: 20 })), (group, label) => {
      ct.move(group, x(shown.indexOf(label)), above(shown.indexOf(label)));
      group.classList.toggle("now", label === state.condition);
      group.classList.toggle("kept", keep.includes(label));
      group.firstChild.textContent = ct.format.clip(name(label), Math.floor(step / 7));
    });

    /** @type {{word: string, column: number, rank: number, kind: string, row: Row, near: string[]}[]} */
    const words = [];
    /** @type {{word: string, column: number, rank: number, next: number, kind: string, far: boolean}[]} */
    const links = [];
    for (const [word, own] of ct.groups(rows, "neighbor")) {
      const near = own.map((row) => row.condition);
      const kind = kindOf(near, conditions, ordered);
      const rankIn = new Map(own.map((row) => [row.condition, row]));
      shown.forEach((label, column) => {
        const row = rankIn.get(label);
        if (!row) return;
        words.push({ word, column, rank: row.rank, kind, row, near });
        const next = ordered ? rankIn.get(shown[column + 1]) : undefined;
        // Joined by a dotted line if times between the two are hidden or left out.
        const far = next && line.indexOf(next.condition) - line.indexOf(label) > 1;
        if (next) links.push({ word, column, rank: row.rank, next: next.rank, kind, far });
      });
    }
    ct.join(layer.links, links, (link) => `${link.word}|${shown[link.column]}`, () => ct.s("path"), (path, link) => {
      path.setAttribute("class", `link ${link.kind}${link.far ? " far" : ""}`);
      path.dataset.word = link.word;
      const [x1, x2] = [x(link.column), x(link.column + 1)];
      const bend = (x2 - x1) * 0.45;
      ct.shape(path, `M${ct.round(x1)} ${y(link.rank)}C${ct.round(x1 + bend)} ${y(link.rank)} ${ct.round(x2 - bend)} ${y(link.next)} ${ct.round(x2)} ${y(link.next)}`);
    });
    const clip = Math.max(5, Math.floor(step / 7.4));
    ct.join(layer.words, words, (item) => `${item.word}|${shown[item.column]}`, () => ct.s("a", null, ct.s("text", { "text-anchor": "middle", "dominant-baseline": "central" })), (link, item) => {
      ct.move(link, x(item.column), y(item.rank, item.column));
      link.setAttribute("class", `word ${item.kind}`);
      link.dataset.word = item.word;
      link.setAttribute("href", ct.address.write("word", [item.word], ct.placeOf(shown[item.column])));
      link.firstChild.textContent = ct.format.clip(ct.format.word(item.word), clip);
      ct.tell(link, [
        ct.format.word(item.word),
        `${ct.format.ordinal(item.rank)} nearest in ${name(shown[item.column])}, similarity ${ct.format.number(item.row.similarity)}`,
        item.near.length > 1 ? `among the nearest in ${item.near.length} of ${conditions.length}: ${ct.format.some(item.near.map(name), 4)}` : null,
      ]);
    });
    together(svg);

    const hidden = conditions.filter((label) => !shown.includes(label));
    return [
      hidden.length > 0 && `Not drawn because the page is too narrow: ${ct.format.some(hidden.map(name), 6)}; the table has all.`,
      links.some((link) => link.far) && "Dotted lines: times in between are not drawn.",
    ];
  };

  /** Over time: a word of the first half, of the second, or of both. Over places: of several places, or of one. */
  function kindOf(near, conditions, ordered) {
    if (!ordered) return near.length > 1 ? "both" : "late";
    const half = conditions.length / 2;
    const early = near.some((label) => conditions.indexOf(label) + 0.5 < half);
    const late = near.some((label) => conditions.indexOf(label) + 0.5 > half);
    return early === late ? "both" : early ? "early" : "late";
  }

  /** Pointing at a word follows it through all columns. */
  function together(svg) {
    if (svg.dataset.follows) return;
    svg.dataset.follows = "yes";
    const mark = (word) => {
      for (const element of svg.querySelectorAll("[data-word]"))
        element.classList.toggle("faded", word !== null && /** @type {HTMLElement} */ (element).dataset.word !== word);
    };
    const wordOf = (event) => (event.target.closest("[data-word]") || { dataset: {} }).dataset.word || null;
    // The listeners are outside of the chart: an SVG element that listens for focus gets a Tab stop.
    const around = svg.parentNode;
    for (const kind of ["pointerover", "focusin"]) around.addEventListener(kind, (event) => mark(wordOf(event)));
    for (const kind of ["pointerleave", "focusout"]) around.addEventListener(kind, () => mark(null));
  }
}
