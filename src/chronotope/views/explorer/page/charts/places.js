// A word over places: a map where coordinates are known, else tiles in order of their value.
(function (ct) {
  "use strict";

  ct.charts = ct.charts || {};

  ct.charts.places = function (chart) {
    const located = chart.answer.rows.filter((row) => ct.known(row.lat) && ct.known(row.lon));
    if (located.length >= 2 && located.length >= chart.answer.rows.length / 2) map(chart, located);
    else tiles(chart);
  };

  function shading(rows) {
    const [low, high] = ct.extent(rows.map((row) => row.value));
    return (value) => (ct.known(value) ? 0.08 + 0.92 * ((value - low) / (high - low || 1)) : 0);
  }

  function tips(row) {
    return [
      `${row.place}: ${ct.known(row.value) ? ct.format.number(row.value) : "too rare to tell"}`,
      `the word occurs here ${ct.format.times(row.support)}`,
    ];
  }

  function tiles({ svg, answer, state, width }) {
    const rows = [...answer.rows].sort(
      (a, b) => (ct.known(b.value) ? b.value : -9) - (ct.known(a.value) ? a.value : -9) || (a.place < b.place ? -1 : 1),
    );
    const columns = Math.max(2, Math.min(rows.length, Math.floor(width / 124)));
    const [wide, tall] = [width / columns, 64];
    svg.setAttribute("height", Math.ceil(rows.length / columns) * tall + 4);
    const shade = shading(rows);
    const layer = ct.layers(svg, ["graticule", "places"]);
    ct.join(
      layer.graticule,
      [],
      String,
      () => null,
      () => null,
    );
    ct.join(
      layer.places,
      rows.map((row, at) => ({ row, at })),
      (item) => `tile ${item.row.place}`,
      () =>
        ct.s(
          "g",
          null,
          ct.s("rect", { class: "ground", rx: 6 }),
          ct.s("rect", { class: "shade", rx: 6 }),
          ct.s("text", { class: "big", x: 12, y: 26 }),
          ct.s("text", { class: "small", x: 12, y: 45 }),
        ),
      (group, { row, at }) => {
        const [ground, rect, name, value] = group.children;
        const strong = shade(row.value) * ct.trust(row.support);
        ct.move(group, (at % columns) * wide, Math.floor(at / columns) * tall);
        for (const one of [ground, rect]) ct.set(one, { x: 2, y: 2, width: wide - 4, height: tall - 4 });
        rect.setAttribute("fill-opacity", ct.round(strong));
        group.setAttribute(
          "class",
          `tile${strong > 0.55 ? " strong" : ""}${row.place === state.place ? " chosen" : ""}${ct.known(row.value) ? "" : " none"}`,
        );
        name.textContent = ct.format.clip(row.place, Math.floor((wide - 20) / 7.6));
        value.textContent = ct.known(row.value)
          ? ct.format.number(row.value) + (ct.about.counted ? ` · ${ct.format.count(row.support)}×` : "")
          : "too rare";
        ct.tell(group, tips(row));
        ct.act(group, () => state.choosePlace(row.place));
      },
    );
  }

  // Plate carrée, with latitude drawn at its true width in the middle of the map.
  function map({ svg, answer, state, width }, rows) {
    const [west, east] = ct.extent(
      rows.map((row) => row.lon),
      4,
    );
    const [south, north] = ct.extent(
      rows.map((row) => row.lat),
      4,
    );
    const squeeze = Math.cos((((south + north) / 2) * Math.PI) / 180) || 1;
    const margin = 56;
    const scale = Math.min((width - 2 * margin) / ((east - west) * squeeze), 440 / (north - south));
    const height = (north - south) * scale + 2 * margin;
    svg.setAttribute("height", Math.ceil(height));
    const x = (lon) => width / 2 + (lon - (east + west) / 2) * squeeze * scale;
    const y = (lat) => height / 2 - (lat - (south + north) / 2) * scale;
    const shade = shading(answer.rows);
    const most = Math.max(1, ...rows.map((row) => row.support));
    const layer = ct.layers(svg, ["graticule", "places"]);
    const meridians = ct
      .ticks(west - margin / scale, east + margin / scale, 6)
      .map((value) => ({ d: `M${ct.round(x(value))} 0V${ct.round(height)}` }));
    const parallels = ct
      .ticks(south - margin / scale, north + margin / scale, 4)
      .map((value) => ({ d: `M0 ${ct.round(y(value))}H${width}` }));
    ct.join(
      layer.graticule,
      [...meridians, ...parallels],
      (line) => line.d,
      () => ct.s("path", { class: "graticule" }),
      (path, line) => ct.set(path, { d: line.d }),
    );
    ct.join(
      layer.places,
      [...rows].sort((a, b) => b.support - a.support),
      (row) => `map ${row.place}`,
      () =>
        ct.s(
          "g",
          null,
          ct.s("circle", { class: "ground" }),
          ct.s("circle", { class: "shade" }),
          ct.s("text", { "text-anchor": "middle", class: "small" }),
        ),
      (group, row) => {
        const radius = 7 + 15 * Math.sqrt(row.support / most);
        const [ground, circle, text] = group.children;
        ct.move(group, x(row.lon), y(row.lat));
        ct.set(ground, { r: radius });
        ct.set(circle, { r: radius, "fill-opacity": ct.round(shade(row.value)) });
        group.setAttribute(
          "class",
          `tile dot${row.place === state.place ? " chosen" : ""}${ct.known(row.value) ? "" : " none"}`,
        );
        text.setAttribute("y", radius + 13);
        text.textContent = row.place;
        ct.tell(group, tips(row));
        ct.act(group, () => state.choosePlace(row.place));
      },
    );
  }
})((window.chronotope = window.chronotope || {}));
