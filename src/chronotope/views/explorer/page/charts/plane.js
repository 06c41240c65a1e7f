// Labeled points: rows of kind 'path' are joined in order; a map if the columns are lon and lat.
"use strict";

{
  /** @type {Draw} */
  ct.charts.plane = function (drawing) {
    const { answer, chart } = drawing;
    if (chart.x !== "lon") return points(drawing);
    const located = answer.rows.filter((row) => ct.known(row.lon) && ct.known(row.lat));
    if (located.length > 1) return map(drawing, located);
    return ct.charts.ranked({ ...drawing, answer: sorted(answer, chart), chart: { ...chart, family: "ranked", band: null, limit: 1000 } });
  };

  const sorted = (answer, chart) => ({ ...answer, rows: [...answer.rows].sort((a, b) => (b[chart.value] ?? -9) - (a[chart.value] ?? -9)) });

  /** Plate carrée, with degrees of longitude at their true width in the middle of the map. */
  function map({ svg, answer, chart, state, width }, rows) {
    const [west, east] = ct.extent(rows.map((row) => row.lon), 4);
    const [south, north] = ct.extent(rows.map((row) => row.lat), 4);
    const squeeze = Math.cos((((south + north) / 2) * Math.PI) / 180) || 1;
    const margin = 56;
    const scale = Math.min((width - 2 * margin) / ((east - west) * squeeze), 440 / (north - south));
    const height = (north - south) * scale + 2 * margin;
    svg.setAttribute("height", String(Math.ceil(height)));
    svg.dataset.nearest = "yes";
    const x = (lon) => width / 2 + (lon - (east + west) / 2) * squeeze * scale;
    const y = (lat) => height / 2 - (lat - (south + north) / 2) * scale;
    const [low, high] = ct.extent(answer.rows.map((row) => row[chart.value]));
    const most = Math.max(1, ...rows.map((row) => row.count));
    const layer = ct.layers(svg, ["graticule", "places", "names"]);
    const lines = [
      ...ct.ticks(west - margin / scale, east + margin / scale, 6).map((value) => `M${ct.round(x(value))} 0V${ct.round(height)}`),
      ...ct.ticks(south - margin / scale, north + margin / scale, 4).map((value) => `M0 ${ct.round(y(value))}H${width}`),
    ];
    ct.join(layer.graticule, lines, String, () => ct.s("path", { class: "graticule" }), (path, line) => path.setAttribute("d", line));
    const order = [...rows].sort((a, b) => b.count - a.count);
    const number = (value) => ct.format.number(value, ct.format.digits(low, high));
    const radius = (row) => 6 + 13 * Math.sqrt(row.count / most);
    ct.join(layer.places, order, (row) => row.place, () => ct.s("g", null, ct.s("circle", { class: "ground" }), ct.s("circle", { class: "shade hot" })), (group, row) => {
      const value = row[chart.value];
      ct.move(group, x(row.lon), y(row.lat));
      ct.set(group.firstChild, { r: radius(row) });
      const strong = ct.known(value) ? 0.08 + 0.92 * ((value - low) / (high - low || 1)) : 0;
      ct.set(group.lastChild, { r: radius(row), "fill-opacity": ct.round(strong * (ct.isFaint(row, chart) ? 0.35 : 1)) });
      group.setAttribute("class", `tile dot${row.place === state.place ? " chosen" : ""}${ct.known(value) ? "" : " none"}${ct.isFaint(row, chart) ? " faint" : ""}`);
      ct.tell(group, [`${row.place}: ${ct.known(value) ? number(value) : "too rare to compare"}`, ct.often(row, chart)]);
      ct.act(group, state.acts ? () => state.choosePlace(row.place) : null);
    });
    // Every place keeps its name; the chosen place and frequent ones get the best positions.
    const room = labels(width, height, rows.map((row) => box(x(row.lon), y(row.lat), 2 * radius(row), 2 * radius(row))));
    const named = [...order]
      .sort((a, b) => Number(b.place === state.place) - Number(a.place === state.place))
      .map((row) => ({ row, spot: room(row.place, x(row.lon), y(row.lat), 12, true, radius(row)) }));
    const texts = named.map(({ row, spot }) => ({ key: row.place, text: row.place, at: spot, class: `label place${row.place === state.place ? " now" : ""}` }));
    ct.texts(layer.names, texts, { "text-anchor": "middle" });
    const lost = answer.rows.length - rows.length;
    return [
      high > low && `Color: ${ct.columnName(chart.value)}, from ${number(low)} (pale) to ${number(high)} (strong).`,
      lost > 0 && `Not on the map: ${ct.format.many(lost, "place")} without coordinates; the table has all.`,
      ct.faintNote(rows, chart),
    ];
  }

  /** The path of a word among its neighbors. @type {Draw} */
  function points({ svg, answer, chart, state, width }) {
    const rows = answer.rows.filter((row) => ct.known(row[chart.x]) && ct.known(row[chart.y]));
    const [left, right] = ct.extent(rows.map((row) => row[chart.x]));
    const [low, high] = ct.extent(rows.map((row) => row[chart.y]));
    const margin = Math.min(70, width * 0.14);
    // One scale for both directions keeps distances comparable.
    const scale = Math.min((width - 2 * margin) / (right - left || 1), 420 / (high - low || 1));
    const height = Math.max(180, (high - low) * scale + 72);
    svg.setAttribute("height", String(Math.ceil(height)));
    svg.dataset.nearest = "yes";
    const x = (row) => width / 2 + (row[chart.x] - (left + right) / 2) * scale;
    const y = (row) => height / 2 - (row[chart.y] - (low + high) / 2) * scale;
    const name = ct.namer(state);
    const isPath = (row) => !chart.kind || row[chart.kind] === "path";
    const every = rows.filter(isPath);
    // Over time × place, the path is that of the chosen place; the other places are dots.
    const here = (row) => state.within === null || ct.placeOf(row[chart.label]).place === state.within;
    const path = every.filter(here);
    const ordered = Boolean(chart.kind) && answer.facts.axis !== "place";
    const isNow = (row) => row[chart.label] === state.condition;
    const order = ct.about.conditions.map((one) => one.label);
    const shown = (row) => (order.includes(row[chart.label]) ? name(row[chart.label]) : ct.format.word(row[chart.label]));
    const layer = ct.layers(svg, ["line", "points", "names", "neighbors"]);

    // A step over a missing time bin is dotted.
    const line = ct.timeline(path.map((row) => row[chart.label]));
    const steps = ordered ? path.slice(1).map((row, at) => ({ from: path[at], row, at, far: line.indexOf(row[chart.label]) - line.indexOf(path[at][chart.label]) > 1 })) : [];
    ct.join(layer.line, steps, (step) => step.row[chart.label], () => ct.s("path"), (element, step) => {
      element.setAttribute("class", `way${step.far ? " far" : ""}`);
      ct.shape(element, `M${ct.round(x(step.from))} ${ct.round(y(step.from))}L${ct.round(x(step.row))} ${ct.round(y(step.row))}`);
      element.setAttribute("stroke-opacity", ct.round(0.25 + (0.6 * (step.at + 1)) / path.length));
    });
    ct.join(layer.points, every, (row) => row[chart.label], () => ct.s("g", null, ct.s("circle", { class: "hot" })), (group, row) => {
      group.setAttribute("class", `point color-0${isNow(row) ? " now" : ""}${here(row) ? "" : " other"}${ct.isFaint(row, chart) ? " faint" : ""}`);
      ct.move(group, x(row), y(row));
      ct.set(group.firstChild, { r: isNow(row) ? 7 : here(row) ? 4.5 : 2.5, "fill-opacity": ct.trust(row, chart) });
      ct.tell(group, [ct.cell(order.includes(row[chart.label]) ? "condition" : "label", row[chart.label]), ct.often(row, chart)]);
      ct.act(group, state.acts && order.includes(row[chart.label]) ? () => state.choose(row[chart.label]) : null);
    });

    // Labels in the order of their weight; one that would cover another is left out (its tip and the table have it).
    const taken = path.map((row) => box(x(row), y(row), 10, 10));
    for (const step of steps) taken.push(...along(x(step.from), y(step.from), x(step.row), y(step.row)));
    const room = labels(width, height, taken);
    const weight = (row) => (isNow(row) ? 0 : row === path[0] || row === path[path.length - 1] ? 1 : 2);
    const named = [...path]
      .sort((a, b) => weight(a) - weight(b))
      .map((row) => ({ row, spot: room(shown(row), x(row), y(row), 12, isNow(row)) }))
      .filter((one) => one.spot);
    const texts = named.map(({ row, spot }) => ({ key: row[chart.label], text: shown(row), at: spot, class: `when${isNow(row) ? " now" : ""}` }));
    ct.texts(layer.names, texts, { "text-anchor": "middle" });
    const others = rows.filter((row) => !isPath(row));
    const isNear = (row) => (row.near_in || []).includes(state.condition);
    const friends = [...others]
      .sort((a, b) => Number(isNear(b)) - Number(isNear(a)) || (b.near_in || []).length - (a.near_in || []).length)
      .map((row) => ({ row, spot: room(ct.format.word(row[chart.label]), x(row), y(row), 13, isNear(row), 0) }))
      .filter((one) => one.spot);
    ct.join(layer.neighbors, friends, (one) => one.row[chart.label], () => ct.s("a", null, ct.s("text", { "text-anchor": "middle", "dominant-baseline": "central" })), (link, { row, spot }) => {
      link.setAttribute("class", `friend${isNear(row) ? " near" : ""}`);
      link.setAttribute("href", ct.address.write("word", [row[chart.label]], { at: state.at, place: state.place }));
      link.firstChild.textContent = ct.format.word(row[chart.label]);
      ct.move(link, spot[0], spot[1]);
      ct.tell(link, [ct.format.word(row[chart.label]), row.near_in ? `among the nearest in ${ct.format.some(row.near_in.map(ct.format.label), 3)}` : null]);
    });
    const crowded = others.length - friends.length;
    const unlabeled = path.filter((row) => !named.some((one) => one.row === row)).map(shown);
    return [
      path.length < every.length && "Small dots: the word in other places.",
      unlabeled.length > 0 && `Without a label: ${ct.format.some(unlabeled, 5)}.`,
      crowded > 0 && `Not drawn: ${ct.format.many(crowded, "word")} that would cover others; the table has all.`,
      steps.some((step) => step.far) && "Dotted: times in between are left out.",
      ct.faintNote(every, chart),
    ];
  }

  /** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

  const box = (x, y, wide, tall) => ({ left: x - wide / 2, right: x + wide / 2, top: y - tall / 2, bottom: y + tall / 2 });

  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  /** A line as a row of small boxes, for labels to avoid. */
  function along(x1, y1, x2, y2) {
    const steps = Math.floor(Math.hypot(x2 - x1, y2 - y1) / 9);
    return Array.from({ length: Math.max(steps - 1, 0) }, (_, step) =>
      box(x1 + ((x2 - x1) * (step + 1)) / steps, y1 + ((y2 - y1) * (step + 1)) / steps, 3, 3),
    );
  }

  /** Find room for labels around points: returns a function from a text and its point to a position, or null. */
  function labels(width, height, taken) {
    const free = (wanted) =>
      taken.every((other) => !overlap(other, wanted)) && wanted.left > 0 && wanted.right < width && wanted.top > 0 && wanted.bottom < height;
    return (text, px, py, size, must, away = 6) => {
      const wide = ct.wide(text, size);
      // A label that must be shown may be farther away.
      for (const ring of must ? [0, 12, 26] : [0]) {
        const [up, side] = [away + 9 + ring, wide / 2 + away + 4 + ring];
        const spots = [[0, -up], [0, up], [side, 0], [-side, 0], [side, -up], [-side, -up], [side, up], [-side, up]];
        if (!away) spots.unshift([0, 0]);
        for (const [dx, dy] of spots) {
          const wanted = box(px + dx, py + dy, wide, size);
          if (!free(wanted)) continue;
          taken.push(wanted);
          return [px + dx, py + dy];
        }
      }
      // The name of a point may cover others; a word is left out instead.
      return must && away ? [Math.max(wide / 2, Math.min(width - wide / 2, px)), Math.max(10, py - away - 9)] : null;
    };
  }
}
