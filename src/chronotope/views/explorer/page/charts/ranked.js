// Ranked bars, one in each row; with several conditions, a row for each with its words side by side.
"use strict";

{
  const ROW = 30;
  const DETAIL = 20;

  /**
   * A row: its label, and one mark or several (a color each).
   * @typedef {{key: string, column: string, label: any, detail: string, row: Row,
   *   marks: {value: number, low: number, high: number, color: number, name: string, row: Row}[]}} Item
   */

  /** @type {Draw} */
  ct.charts.ranked = function (drawing) {
    const { answer, chart } = drawing;
    const rows = answer.rows.filter((row) => ct.known(row[chart.value]));
    if (chart.group && ct.distinct(answer.rows, chart.group).length > 1) return grouped(drawing);
    const shown = rows.slice(0, chart.limit || 30);
    const [low, high] = chart.band || [];
    const items = shown.map((row, at) => ({
      key: `${row[chart.label]}|${shown.findIndex((other) => other[chart.label] === row[chart.label]) === at ? "" : at}`,
      column: chart.label,
      label: row[chart.label],
      detail: detailOf(row, chart),
      row,
      marks: [{ value: row[chart.value], low: row[low], high: row[high], color: 0, name: "", row }],
    }));
    draw(drawing, items, chart.value);
    return [
      rows.length > shown.length && `Not drawn: ${ct.format.many(rows.length - shown.length, "more row")}; the table has all.`,
      shown.some((row) => row.match === false) && "Pale: no match; the vertical line is the similarity that a match needs.",
      ct.faintNote(shown, chart),
    ];
  };

  /** A chart of lines whose conditions have no order (places), or of one condition: a row for each. @type {Draw} */
  ct.rankedPlaces = function (drawing) {
    const { answer, chart, colors } = drawing;
    const rows = answer.rows.filter((row) => ct.known(row[chart.y]));
    const by = ct.distinct(answer.rows, chart.x).length < 2 ? chart.color : chart.x;
    const words = by === chart.x ? ct.distinct(rows, chart.color) : [null];
    const [low, high] = chart.band || [];
    const items = [...ct.groups(rows, by)].map(([label, own]) => ({
      key: String(label),
      column: by === chart.x ? "condition" : chart.color,
      label,
      detail: "",
      row: own[0],
      marks: own.map((row) => ({
        value: row[chart.y],
        low: row[low],
        high: row[high],
        color: colors && colors.includes(row[chart.color]) ? colors.indexOf(row[chart.color]) : Math.max(0, words.indexOf(row[chart.color])),
        name: words.length > 1 ? row[chart.color] : "",
        row,
      })),
    }));
    items.sort((a, b) => b.marks[0].value - a.marks[0].value);
    draw(drawing, items, chart.y);
    const left = ct.distinct(answer.rows, by).length - items.length;
    return [left > 0 && `Not drawn: ${left} without a value.`, ct.faintNote(rows, chart)];
  };

  function detailOf(row, chart) {
    const texts = (chart.detail || []).map((column) => {
      const value = row[column];
      if (value === null || value === undefined) return "";
      return Array.isArray(value) ? value.slice(0, 4).map(ct.format.word).join(", ") : `${ct.columnName(column)} ${ct.cell(column, value)}`;
    });
    return texts.filter(Boolean).join((chart.detail || []).some((column) => Array.isArray(row[column])) ? " → " : ", ");
  }

  function draw({ svg, chart, state, width }, items, column) {
    const several = items.some((item) => item.marks.length > 1);
    const detailed = items.some((item) => item.detail);
    const tall = ROW + (detailed ? DETAIL : 0);
    const top = 24;
    svg.setAttribute("height", String(top + tall * Math.max(items.length, 1) + (several ? 30 : 4)));
    const text = (item) => (item.column === "condition" ? ct.namer(state)(item.label) : ct.cell(item.column, item.label));
    const names = Math.min(Math.max(80, ...items.map((item) => ct.wide(text(item), 15) + 18)), width * 0.55);
    const end = width - (several ? 12 : 52);
    const values = items.flatMap((item) => item.marks.flatMap((mark) => [mark.value, mark.low, mark.high])).filter(ct.known);
    const low = Math.min(0, ...values);
    const high = column === "similarity" ? 1 : Math.max(0, ...values) || 1;
    const x = ct.linear(low, high, names, end);
    const layer = ct.layers(svg, ["now", "axis", "rows", "key"]);
    const now = state.acts ? items.findIndex((item) => item.label !== null && [state.condition, state.place].includes(item.label)) : -1;
    ct.band(layer.now, now < 0 ? null : { x: -6, y: top + now * tall, width: width + 6, height: tall });
    const title = ct.columnName(column);
    ct.texts(layer.axis, [{ key: "axis", text: title, at: [Math.min(names, width - ct.wide(title, 12)), 8], class: "axis" }]);
    ct.join(
      layer.rows,
      items,
      (item) => item.key,
      (item) =>
        ct.s(
          ct.leads(item.column, item.label, state, item.row).href ? "a" : "g",
          null,
          ct.s("rect", { class: "hit only-here", height: tall }),
          ct.s("text", { class: "item", "dominant-baseline": "central", y: ROW / 2 }),
          ct.s("line", { class: "track", y1: ROW / 2, y2: ROW / 2 }),
          ct.s("g", { class: "values" }),
          ct.s("text", { class: "figure", "text-anchor": "end", "dominant-baseline": "central", y: ROW / 2 }),
          ct.s("text", { class: "detail", "dominant-baseline": "central", y: ROW + DETAIL / 2 - 4 }),
        ),
      (group, item) => {
        const [hit, name, track, bars, figure, detail] = group.children;
        ct.move(group, 0, top + items.indexOf(item) * tall);
        group.setAttribute("class", `row${ct.isFaint(item.row, chart) ? " faint" : ""}`);
        const lead = ct.leads(item.column, item.label, state, item.row);
        if (lead.href) group.setAttribute("href", lead.href);
        else ct.act(group, lead.act || null);
        name.textContent = ct.format.clip(text(item), Math.floor(names / 8.1));
        ct.set(hit, { width });
        ct.set(track, { x1: names, x2: end });
        ct.join(
          bars,
          item.marks,
          (mark) => mark.name,
          () => ct.s("g", null, ct.s("line", { class: "value" }), ct.s("line", { class: "whisker" }), ct.s("circle"), ct.s("line", { class: "needed" })),
          (bar, mark) => {
            const [line, whisker, dot, needed] = bar.children;
            bar.setAttribute("class", several ? `point color-${mark.color}` : "bar");
            const trust = mark.row.match === false ? 0.28 : ct.trust(mark.row, chart);
            ct.set(line, { x1: x(0), x2: x(mark.value), y1: ROW / 2, y2: ROW / 2, "stroke-opacity": trust, visibility: several ? "hidden" : null });
            const known = ct.known(mark.low) && ct.known(mark.high);
            ct.set(whisker, { x1: x(known ? mark.low : 0), x2: x(known ? mark.high : 0), y1: ROW / 2, y2: ROW / 2, visibility: known ? null : "hidden" });
            ct.set(dot, { cx: x(mark.value), cy: ROW / 2, r: 5, "fill-opacity": trust, visibility: several ? null : "hidden" });
            const least = ct.known(mark.row.needed);
            ct.set(needed, { x1: x(least ? mark.row.needed : 0), x2: x(least ? mark.row.needed : 0), y1: ROW / 2 - 7, y2: ROW / 2 + 7, visibility: least ? null : "hidden" });
          },
        );
        figure.textContent = several ? "" : ct.format.short(item.marks[0].value);
        figure.setAttribute("x", width);
        detail.textContent = ct.format.clip(item.detail, Math.floor(width / 6.4));
        ct.tell(group, [
          several ? text(item) : `${text(item)}: ${ct.format.short(item.marks[0].value)}`,
          ...(several ? item.marks.map((mark) => `${ct.format.word(mark.name)} ${ct.format.short(mark.value)}`) : []),
          several ? null : ct.often(item.row, chart),
          item.row.neighbor_count !== undefined && ct.about.counted ? `${text(item)} occurs here ${ct.format.times(item.row.neighbor_count)}` : null,
        ]);
      },
    );
    // Several words: a key of their colors below.
    const words = several ? new Map(items.flatMap((item) => item.marks.map((mark) => [mark.name, mark.color]))) : new Map();
    const most = Math.floor(width / Math.max(words.size, 1) / 7.4) - 4;
    let left = 0;
    const key = [...words].map(([word, color]) => {
      const text = `● ${ct.format.clip(ct.format.word(word), most)}`;
      left += ct.wide(text, 13) + 12;
      return { key: word, text, at: [left - ct.wide(text, 13) - 12, top + tall * items.length + 16], class: `name color-${color}` };
    });
    ct.texts(layer.key, key);
  }

  /** A row for each group: the value of its best word, and the words. @type {Draw} */
  function grouped({ svg, answer, chart, state, width }) {
    const groups = [...ct.groups(answer.rows, chart.group)].map(([label, rows]) => ({ label, rows }));
    const shown = groups.slice(0, 120);
    const narrow = width < 620;
    const name = ct.namer(state);
    const labels = Math.min(Math.max(...shown.map((one) => ct.wide(name(one.label), 13))) + 18, width * 0.4);
    const tall = narrow ? 56 : 40;
    const top = 44;
    svg.setAttribute("height", String(top + tall * shown.length + 6));
    const [start, end] = narrow ? [0, width - 14] : [labels, labels + (width - labels) * 0.36];
    const values = answer.rows.flatMap((row) => [row[chart.value], row.needed]).filter(ct.known);
    const low = Math.min(0, ...values);
    const high = chart.value === "similarity" ? 1 : Math.max(...values, 0) || 1;
    const x = ct.linear(low, high, start, end);
    const layer = ct.layers(svg, ["now", "axis", "rows"]);
    const label = (text, x, y, anchor = "") => ({ key: `${text}${y}`, text, at: [x, y], class: `axis ${anchor}` });
    ct.texts(layer.axis, [
      label(ct.columnName(chart.value), start, 10),
      label(ct.format.short(low), start, 30),
      label(ct.format.short(high), end, 30, "end"),
    ]);
    const now = ct.nowIn(shown.map((one) => one.label), state);
    ct.band(layer.now, now < 0 ? null : { x: 0, y: top + now * tall + 1, width, height: tall - 2 });
    ct.join(
      layer.rows,
      shown,
      (one) => one.label,
      () =>
        ct.s(
          "g",
          null,
          ct.s("text", { class: "label", "dominant-baseline": "central" }),
          ct.s("g", { class: "measure", role: "img" }, ct.s("line", { class: "track" }), ct.s("line", { class: "value" }), ct.s("line", { class: "needed" }), ct.s("circle", { r: 5 })),
          ct.s("g", { class: "found" }),
        ),
      (group, { label, rows }) => {
        const at = shown.findIndex((one) => one.label === label);
        const [title, measure, found] = group.children;
        const middle = narrow ? 44 : tall / 2;
        const line = narrow ? 18 : tall / 2;
        const best = rows[0];
        const matches = rows.filter((row) => row.match !== false);
        ct.move(group, 0, top + at * tall);
        group.setAttribute("class", `part${matches.length ? "" : " none"}${at === now ? " now" : ""}`);
        title.textContent = ct.format.clip(name(label), Math.floor(labels / 7));
        ct.set(title, { x: narrow ? 6 : 8, y: line });
        const [track, value, mark, dot] = measure.children;
        const score = best[chart.value];
        const trust = ct.trust(best, chart);
        ct.set(track, { x1: start, x2: end, y1: middle, y2: middle });
        ct.set(value, { x1: x(Math.max(low, 0)), x2: x(ct.known(score) ? score : 0), y1: middle, y2: middle, "stroke-opacity": trust });
        ct.set(mark, { x1: x(best.needed || 0), x2: x(best.needed || 0), y1: middle - 7, y2: middle + 7, visibility: ct.known(best.needed) ? null : "hidden" });
        ct.set(dot, { cx: x(ct.known(score) ? score : 0), cy: middle, "fill-opacity": trust, visibility: ct.known(score) ? null : "hidden" });
        ct.tell(measure, [
          name(label),
          best[chart.label] ? `nearest: ${ct.format.word(best[chart.label])}, ${ct.format.short(score)}` : "no word to choose from",
          ct.known(best.needed) ? `a match needs ${ct.format.number(best.needed)}` : null,
        ]);
        let left = narrow ? labels : end + 28;
        /** @type {{row: Row, left: number}[]} */
        const words = [];
        for (const row of matches) {
          const wide = ct.wide(row[chart.label], 14) + 14;
          if (words.length && left + wide > width) break;
          words.push({ row, left });
          left += wide;
        }
        const none = matches.length ? [] : [{ row: /** @type {Row} */ (null), left }];
        ct.join(
          found,
          [...words, ...none],
          (item) => (item.row ? `word ${item.row[chart.label]}` : "none"),
          (item) => (item.row ? ct.s("a", null, ct.s("text", { "dominant-baseline": "central" })) : ct.s("text", { class: "none", "dominant-baseline": "central" })),
          (element, item) => {
            ct.move(element, item.left, line);
            if (!item.row) {
              const who = best[chart.label] ? `none (nearest: ${ct.format.word(best[chart.label])})` : "none";
              element.textContent = ct.format.clip(who, Math.floor((width - item.left) / 7));
              return;
            }
            element.firstChild.textContent = ct.format.clip(ct.format.word(item.row[chart.label]), Math.max(6, Math.floor((width - item.left) / 7.6)));
            element.setAttribute("class", `friend${words.indexOf(item) ? "" : " best"}${ct.isFaint(item.row, chart) ? " faint" : ""}`);
            element.setAttribute("href", ct.address.write("word", [item.row[chart.label]], ct.placeOf(label)));
            ct.tell(element, [ct.format.word(item.row[chart.label]), `${ct.format.short(item.row[chart.value])} in ${name(label)}`, ct.often(item.row, chart)]);
          },
        );
      },
    );
    return [
      groups.length > shown.length && `Not drawn: ${ct.format.many(groups.length - shown.length, "more row")}; the table has all.`,
      ct.faintNote(answer.rows, chart),
    ];
  }
}
