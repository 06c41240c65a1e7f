// The path of a word among its company, in a plane.
(function (ct) {
  "use strict";

  ct.charts = ct.charts || {};

  ct.charts.plane = function ({ svg, answer, state, width }) {
    const points = [...answer.path, ...answer.company];
    const [left, right] = ct.extent(points.map((point) => point.x));
    const [low, high] = ct.extent(points.map((point) => point.y));
    const margin = Math.min(70, width * 0.14);
    // One scale for both directions: a plane that is stretched one way would lie about who is near whom.
    const scale = Math.min((width - 2 * margin) / (right - left || 1), 420 / (high - low || 1));
    const height = Math.max(180, (high - low) * scale + 72);
    svg.setAttribute("height", Math.ceil(height));
    const x = (value) => width / 2 + (value - (left + right) / 2) * scale;
    const y = (value) => height / 2 - (value - (low + high) / 2) * scale;
    // Over time × place the path is that of the place looked at; the other places are dots.
    const name = ct.namer(state);
    const here = (point) => state.within === null || ct.placeOf(point.condition).place === state.within;
    const path = answer.path.filter(here);
    const ordered = answer.axis !== "place";
    const nowAt = answer.path.findIndex((point) => point.condition === state.condition);
    const layer = ct.layers(svg, ["line", "points", "names", "company"]);

    ct.join(
      layer.line,
      ordered ? path.slice(1).map((point, at) => ({ from: path[at], point, at })) : [],
      (item) => item.point.condition,
      () => ct.s("path", { class: "way" }),
      (path, item) => {
        ct.shape(
          path,
          `M${ct.round(x(item.from.x))} ${ct.round(y(item.from.y))}L${ct.round(x(item.point.x))} ${ct.round(y(item.point.y))}`,
        );
        path.setAttribute("stroke-opacity", ct.round(0.25 + (0.6 * (item.at + 1)) / path.length));
      },
    );

    ct.join(
      layer.points,
      answer.path.map((point, at) => ({ point, at })),
      (item) => item.point.condition,
      () => ct.s("g", null, ct.s("circle")),
      (group, { point, at }) => {
        group.setAttribute("class", `point color-0${at === nowAt ? " now" : ""}${here(point) ? "" : " other"}`);
        ct.move(group, x(point.x), y(point.y));
        ct.set(group.firstChild, {
          r: at === nowAt ? 7 : here(point) ? 4.5 : 2.5,
          "fill-opacity": ct.round(ct.trust(point.support)),
        });
        ct.tell(group, [
          `${answer.word} in ${ct.format.label(point.condition)}`,
          `occurs here ${ct.format.times(point.support)}`,
        ]);
        ct.act(group, () => state.choose(point.condition));
      },
    );

    // Labels in the order of their weight; what would cover another is left out (its tip and the table still tell it).
    const taken = answer.path.filter(here).map((point) => box(x(point.x), y(point.y), 10, 10));
    if (ordered) for (let at = 1; at < path.length; at++) taken.push(...along(path[at - 1], path[at]));
    // The line itself, as a row of small boxes that labels keep away from.
    function along(from, to) {
      const [x1, y1, x2, y2] = [x(from.x), y(from.y), x(to.x), y(to.y)];
      const steps = Math.floor(Math.hypot(x2 - x1, y2 - y1) / 9);
      return Array.from({ length: Math.max(steps - 1, 0) }, (_, step) =>
        box(x1 + ((x2 - x1) * (step + 1)) / steps, y1 + ((y2 - y1) * (step + 1)) / steps, 3, 3),
      );
    }
    const free = (wanted) =>
      taken.every((other) => !overlap(other, wanted)) &&
      wanted.left > 0 &&
      wanted.right < width &&
      wanted.top > 0 &&
      wanted.bottom < height;
    const place = (text, px, py, size, must) => {
      const wide = ct.wide(text, size);
      const spots = [
        [0, -14],
        [0, 15],
        [wide / 2 + 10, 0],
        [-wide / 2 - 10, 0],
        [wide / 2 + 8, -12],
        [-wide / 2 - 8, -12],
        [wide / 2 + 8, 13],
        [-wide / 2 - 8, 13],
      ];
      for (const [dx, dy] of spots) {
        const wanted = box(px + dx, py + dy, wide, size);
        if (free(wanted)) {
          taken.push(wanted);
          return [px + dx, py + dy];
        }
      }
      return must ? [Math.max(wide / 2, Math.min(width - wide / 2, px)), Math.max(10, py - 14)] : null;
    };

    const [first, last] = [answer.path.indexOf(path[0]), answer.path.indexOf(path[path.length - 1])];
    const names = [];
    const weight = (at) => (at === nowAt ? 0 : at === first || at === last ? 1 : 2);
    for (const at of answer.path
      .map((_, at) => at)
      .filter((at) => here(answer.path[at]))
      .sort((a, b) => weight(a) - weight(b) || a - b)) {
      const point = answer.path[at];
      const spot = place(name(point.condition), x(point.x), y(point.y), 12, at === nowAt);
      if (spot) names.push({ at, point, spot });
    }
    ct.join(
      layer.names,
      names,
      (item) => item.point.condition,
      () => ct.s("text", { "text-anchor": "middle", "dominant-baseline": "central" }),
      (text, item) => {
        text.setAttribute("class", `when${item.at === nowAt ? " now" : ""}`);
        text.textContent = name(item.point.condition);
        ct.move(text, ...item.spot);
      },
    );

    const isNear = (friend) => friend.near_in.includes(state.condition);
    const company = [];
    for (const friend of [...answer.company].sort(
      (a, b) => Number(isNear(b)) - Number(isNear(a)) || b.near_in.length - a.near_in.length,
    )) {
      const wide = ct.wide(friend.word, 13);
      const own = box(x(friend.x), y(friend.y), wide, 15);
      if (free(own)) {
        taken.push(own);
        company.push({ friend, spot: [x(friend.x), y(friend.y)] });
      } else {
        const spot = place(friend.word, x(friend.x), y(friend.y), 13, isNear(friend));
        if (spot) company.push({ friend, spot });
      }
    }
    ct.join(
      layer.company,
      company,
      (item) => item.friend.word,
      () => ct.s("a", null, ct.s("text", { "text-anchor": "middle", "dominant-baseline": "central" })),
      (link, { friend, spot }) => {
        link.setAttribute("class", `friend${isNear(friend) ? " near" : ""}`);
        link.setAttribute("href", ct.address.write("word", [friend.word], { at: state.at, place: state.place }));
        link.firstChild.textContent = friend.word;
        ct.move(link, ...spot);
        const where = friend.near_in.slice(0, 3).map(ct.format.label).join(", ");
        ct.tell(link, [friend.word, `among the nearest in ${where}${friend.near_in.length > 3 ? ", …" : ""}`]);
      },
    );
  };

  function box(x, y, wide, tall) {
    return { left: x - wide / 2, right: x + wide / 2, top: y - tall / 2, bottom: y + tall / 2 };
  }

  function overlap(a, b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  }
})((window.chronotope = window.chronotope || {}));
