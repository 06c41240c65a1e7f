// Tiles: condition × condition, or time × place. The darker, the more alike; few occurrences leave a tile empty.
(function (ct) {
  "use strict";

  const drawn = new WeakMap();
  // More tiles than this do not fade and glide, and are drawn a few rows at a time: it would keep the page from answering.
  const MOVING = 900;

  /**
   * @param options
   *   svg, width
   *   across, down   labels of columns and rows
   *   values         a row for each of `down`
   *   nowAcross, nowDown   positions looked at, or -1
   *   framed         [{across, down}] tiles with a frame
   *   tip            (row, column) => lines
   *   choose         (row, column) => void, or null
   *   square, most   whether tiles are square, and how wide they are at most
   *   name           how a condition is called
   */
  ct.heat = function ({
    svg,
    width,
    across,
    down,
    values,
    nowAcross = -1,
    nowDown = -1,
    framed = [],
    tip,
    choose,
    square = true,
    most = 46,
    name = ct.format.label,
  }) {
    const longest = Math.max(...down.map((label) => ct.wide(name(label), 12)));
    const left = Math.min(longest + 12, width * 0.34);
    const top = 64;
    const size = Math.max(2, Math.min(most, (width - left - 26) / across.length));
    const tall = square ? size : Math.max(16, Math.min(34, size));
    svg.setAttribute("height", Math.ceil(top + tall * down.length + 8));
    const known = values.flat().filter(ct.known);
    const [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
    const shade = (value) => 0.06 + 0.94 * ((value - low) / (high - low || 1));
    const layer = ct.layers(svg, ["tiles", "frames", "heads", "sides"]);
    const gap = size > 12 ? 1 : size > 5 ? 0.5 : 0;

    const many = across.length * down.length > MOVING;
    if (many) svg.classList.add("still");

    drawFrames();
    // Another condition moves the frame alone; the tiles stay as they are.
    const last = drawn.get(svg);
    if (
      last &&
      last.width === width &&
      last.values.every((row, at) => same(row, values[at])) &&
      same(last.across, across) &&
      same(last.down, down)
    )
      return;
    drawn.set(svg, { width, values, across, down });
    const rows = [];
    ct.join(
      layer.tiles,
      down.map((label, y) => ({ label, y })),
      (row) => `${row.label}|${many}`,
      () => ct.s("g"),
      (group, row) => rows.push(() => drawRow(group, row.y)),
    );
    if (many) ct.inSlices(svg, [...rows, () => ct.settle(svg)]);
    else for (const row of rows) row();

    function drawRow(parent, y) {
      ct.join(
        parent,
        values[y].map((value, x) => ({ x, value })),
        (cell) => across[cell.x],
        newTile,
        (group, cell) => {
          const [ground, rect, number] = many ? [null, group.firstChild] : group.children;
          const strong = ct.known(cell.value) ? shade(cell.value) : 0;
          const place = { x: gap, y: gap, width: size - 2 * gap, height: tall - 2 * gap };
          ct.move(group, left + cell.x * size, top + y * tall);
          ct.set(rect, { ...place, "fill-opacity": ct.round(strong), rx: size > 20 ? 3 : 0 });
          group.setAttribute("class", `tile${strong > 0.55 ? " strong" : ""}${ct.known(cell.value) ? "" : " none"}`);
          if (!many) {
            ct.set(ground, { ...place, rx: size > 20 ? 3 : 0 });
            number.textContent = size >= 34 && tall >= 16 ? shown(cell.value) : "";
            ct.set(number, { x: size / 2, y: tall / 2 });
          }
          ct.tell(group, tip(y, cell.x));
          ct.act(group, choose && (() => choose(y, cell.x)));
        },
      );
    }

    // Of thousands of tiles each is a single rectangle.
    function newTile() {
      const text = { "text-anchor": "middle", "dominant-baseline": "central" };
      return many
        ? ct.s("g", null, ct.s("rect", { class: "shade" }))
        : ct.s("g", null, ct.s("rect", { class: "ground" }), ct.s("rect", { class: "shade" }), ct.s("text", text));
    }

    function drawFrames() {
      const frames = framed.map((frame) => ({ ...frame, kind: "found", name: `${frame.down}|${frame.across}` }));
      if (nowAcross >= 0 && nowDown >= 0) frames.push({ across: nowAcross, down: nowDown, kind: "now", name: "now" });
      ct.join(
        layer.frames,
        frames,
        (frame) => frame.name,
        () => ct.s("g", null, ct.s("rect", { rx: 4 })),
        (group, frame) => {
          ct.move(group, left + frame.across * size, top + frame.down * tall);
          group.setAttribute("class", `frame ${frame.kind}`);
          ct.set(group.firstChild, { width: size, height: tall });
        },
      );

      const shownAcross = ct.every(across.length, size * across.length, 24);
      ct.join(
        layer.heads,
        across.map((label, at) => ({ label, at })).filter(({ at }) => shownAcross.has(at) || at === nowAcross),
        (item) => item.label,
        () => ct.s("g", null, ct.s("text", { transform: "rotate(-42)" })),
        (group, item) => {
          group.setAttribute("class", `label${item.at === nowAcross ? " now" : ""}`);
          ct.move(group, left + (item.at + 0.5) * size, top - 8);
          group.firstChild.textContent = ct.format.clip(name(item.label), 11);
        },
      );
      const shownDown = ct.every(down.length, tall * down.length, 15);
      ct.join(
        layer.sides,
        down.map((label, at) => ({ label, at })).filter(({ at }) => shownDown.has(at) || at === nowDown),
        (item) => item.label,
        () => ct.s("text", { "text-anchor": "end", "dominant-baseline": "central" }),
        (text, item) => {
          text.setAttribute("class", `label${item.at === nowDown ? " now" : ""}`);
          ct.move(text, left - 8, top + (item.at + 0.5) * tall);
          text.textContent = ct.format.clip(name(item.label), Math.floor(left / 6.4));
        },
      );
    }
  };

  const shown = (value) => (ct.known(value) ? ct.format.number(value).replace(/^(−?)0\./, "$1.") : "·");

  const same = (a, b) => Boolean(b) && a.length === b.length && a.every((value, at) => value === b[at]);
})((window.chronotope = window.chronotope || {}));
