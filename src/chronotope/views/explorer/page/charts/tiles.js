// Tiles: condition × condition, time × place, place × place. The stronger the color, the greater the value.
"use strict";

{
  // More tiles than this are not animated, so that the page stays responsive.
  const MOVING = 900;
  const MOST = 60;
  /** @type {WeakMap<Element, {rows: Row[], width: number}>} */
  const drawn = new WeakMap();

  /** @type {Draw} */
  ct.charts.tiles = function ({ svg, answer, chart, state, width, keep = [] }) {
    const { x: columnX, y: columnY, value: columnValue, mark } = chart;
    const name = ct.namer(state);
    const [allAcross, allDown] = [ct.distinct(answer.rows, columnX), ct.distinct(answer.rows, columnY)];
    const now = (labels) => state.acts ? labels.findIndex((label) => [state.condition, state.at, state.place].includes(label)) : -1;
    const keptIn = (labels) => [now(labels), ...keep.map((label) => labels.indexOf(label))];
    const across = ct.columns(allAcross.length, MOST, keptIn(allAcross)).map((at) => allAcross[at]);
    const down = ct.columns(allDown.length, MOST, keptIn(allDown)).map((at) => allDown[at]);
    const cells = new Map(answer.rows.map((row) => [`${row[columnX]}\u0000${row[columnY]}`, row]));
    const at = (y, x) => cells.get(`${across[x]}\u0000${down[y]}`) || /** @type {Row} */ ({});

    const same = across.join() === down.join();
    const left = Math.min(Math.max(...down.map((label) => ct.wide(name(label), 12))) + 12, width * 0.34);
    const top = 64;
    const size = Math.max(2, Math.min(same ? 46 : 100, (width - left - 26) / across.length));
    const tall = same ? size : Math.max(18, Math.min(34, size));
    svg.setAttribute("height", String(Math.ceil(top + tall * down.length + 8)));
    // The cosine of a word with itself would widen the range of colors.
    const others = answer.rows.filter((row) => row[columnX] !== row[columnY]);
    const [low, high] = ct.extent((others.length ? others : answer.rows).map((row) => row[columnValue]));
    const shade = (value) => 0.06 + 0.94 * Math.max(0, Math.min(1, (value - low) / (high - low || 1e-9)));
    const number = (value) => ct.format.number(value, ct.format.digits(low, high));
    const short = (value) => (ct.known(value) ? number(value).replace(/^(−?)0\./, "$1.") : "·");
    const layer = ct.layers(svg, ["tiles", "frames", "heads", "sides"]);
    const gap = size > 12 ? 1 : size > 5 ? 0.5 : 0;
    const many = across.length * down.length > MOVING;
    if (many) svg.classList.add("still");
    const [nowAcross, nowDown] = [now(across), now(down)];
    drawFrames();

    const hidden = [
      across.length < allAcross.length || down.length < allDown.length
        ? `Drawn: ${across.length} of ${allAcross.length} columns and ${down.length} of ${allDown.length} rows; the table has all.`
        : "",
      high > low && (size < 34 || tall < 16) && `Color: ${ct.columnName(columnValue)}, from ${number(low)} (pale) to ${number(high)} (strong).`,
      ct.faintNote(answer.rows.filter((row) => ct.known(row[columnValue])), chart),
    ];
    // Another condition moves only the frame.
    const last = drawn.get(svg);
    if (last && last.width === width && last.rows === answer.rows && layer.tiles.firstChild) return hidden;
    drawn.set(svg, { width, rows: answer.rows });
    ct.join(layer.tiles, down.map((label, y) => ({ label, y })), (row) => `${row.label}|${many}`, () => ct.s("g"), (group, row) => drawRow(group, row.y));
    return hidden;

    function drawRow(parent, y) {
      ct.join(
        parent,
        across.map((label, x) => ({ label, x, row: at(y, x) })),
        (cell) => cell.label,
        // With thousands of tiles, each is a single rectangle.
        () =>
          many
            ? ct.s("g", null, ct.s("rect", { class: "shade" }))
            : ct.s("g", null, ct.s("rect", { class: "ground" }), ct.s("rect", { class: "shade" }), ct.s("text", { "text-anchor": "middle", "dominant-baseline": "central" })),
        (group, { x, row }) => {
          const value = row[columnValue];
          const faint = ct.isFaint(row, chart);
          const strong = ct.known(value) ? shade(value) * (faint ? 0.35 : 1) : 0;
          const box = { x: gap, y: gap, width: size - 2 * gap, height: tall - 2 * gap, rx: size > 20 ? 3 : 0 };
          ct.move(group, left + x * size, top + y * tall);
          ct.set(group.querySelector(".shade"), { ...box, "fill-opacity": ct.round(strong) });
          group.setAttribute("class", `tile${strong > 0.55 ? " strong" : ""}${ct.known(value) ? "" : " none"}${faint ? " faint" : ""}`);
          if (!many) {
            ct.set(group.firstChild, box);
            group.lastChild.textContent = size >= 34 && tall >= 16 ? short(value) : "";
            ct.set(group.lastChild, { x: size / 2, y: tall / 2 });
          }
          ct.tell(group, [
            `${name(across[x])} and ${name(down[y])}: ${ct.known(value) ? number(value) : "too rare to compare"}`,
            mark && row[mark] ? "a significant change begins here" : null,
            ct.often(row, chart),
          ]);
          const { act } = row.condition && state.acts ? { act: () => state.choose(row.condition) } : ct.leads(columnX, across[x], state, row);
          ct.act(group, act || null);
        },
      );
    }

    function drawFrames() {
      const frames = mark
        ? answer.rows.filter((row) => row[mark]).map((row) => ({ x: across.indexOf(row[columnX]), y: down.indexOf(row[columnY]), kind: "found", name: `${row[columnX]}|${row[columnY]}` }))
        : [];
      if (nowAcross >= 0 && nowDown >= 0) frames.push({ x: nowAcross, y: nowDown, kind: "now", name: "now" });
      ct.join(layer.frames, frames.filter((frame) => frame.x >= 0 && frame.y >= 0), (frame) => frame.name, () => ct.s("g", null, ct.s("rect", { rx: 4 })), (group, frame) => {
        ct.move(group, left + frame.x * size, top + frame.y * tall);
        group.setAttribute("class", `frame ${frame.kind}`);
        ct.set(group.firstChild, { width: size, height: tall });
      });
      const labels = (all, shown, here) =>
        all.map((label, at) => ({ label, at, now: at === here })).filter((item) => shown.has(item.at) || item.now);
      ct.join(layer.heads, labels(across, ct.every(across.length, size * across.length, 16), nowAcross), (item) => item.label, () => ct.s("g", null, ct.s("text", { transform: "rotate(-42)" })), (group, item) => {
        group.setAttribute("class", `label${item.now ? " now" : ""}`);
        ct.move(group, left + (item.at + 0.5) * size, top - 8);
        group.firstChild.textContent = ct.format.clip(name(item.label), 11);
      });
      const sides = labels(down, ct.every(down.length, tall * down.length, 15), nowDown).map((item) => ({
        key: item.label,
        text: ct.format.clip(name(item.label), Math.floor(left / 6.4)),
        at: [left - 8, top + (item.at + 0.5) * tall],
        class: `label${item.now ? " now" : ""}`,
      }));
      ct.texts(layer.sides, sides, { "text-anchor": "end" });
    }
  };
}
