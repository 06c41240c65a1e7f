// The charts of a word against itself: how much it stayed the same, how often it is used, when it meant the same.
(function (ct) {
  "use strict";

  const format = ct.format;
  const MOST_TILES = 60;
  const quoted = (word) => format.quoted(word);
  const label = (text) => format.label(text);

  Object.assign(ct.wordPanels, {
    series: () =>
      ct.panel({
        class: "series",
        plain: "How much it stayed the same",
        title: (answer) => (answer.series.axis === "place" ? "How alike its use is" : "How much it stayed the same"),
        lead: (answer) =>
          `How similar ${quoted(answer.series.word)} is to itself ${against(answer.series)}: 1 is the same use, 0 an unrelated one.`,
        caution: (answer) => {
          const gaps = best(answer.series).some((value, at) => !ct.known(value) && at > 0);
          const band = answer.series.bootstrap
            ? "The noise of few occurrences is taken off; the band holds what other texts of the same kind would give, 95 times in 100. "
            : "";
          const found = accepted(answer);
          const dashed = found.length
            ? "A dashed line: a change larger than that of most words as frequent. "
            : answer.changes
              ? "No change stands out among words as frequent. "
              : "";
          return `${dashed}${band}Faint dots rest on few occurrences${gaps ? `; a gap: fewer than ${answer.series.min_count}` : ""}.`;
        },
        empty: (answer) =>
          answer.series.values.some(ct.known)
            ? null
            : `It occurs too seldom to be compared with itself (fewer than ${answer.series.min_count} times everywhere but once).`,
        draw: ({ svg, answer, state, width }) => {
          const { series } = answer;
          ct.lines({
            svg,
            width,
            conditions: series.conditions,
            now: ct.nowIn(series.conditions, state),
            series: [
              {
                name: series.word,
                values: best(series),
                low: series.low,
                high: series.high,
                support: series.support,
                color: 0,
              },
            ],
            ordered: series.axis !== "place",
            changes: accepted(answer)
              .map((point) => ({
                at: series.conditions.indexOf(point.first),
                text: `changed: ${ct.namer(state)(point.first)}`,
              }))
              .filter((change) => change.at >= 0),
            axis: "similarity with itself",
            name: ct.namer(state),
            choose: state.choose,
          });
        },
        label: (answer) =>
          `Similarity of ${answer.series.word} with itself at ${answer.series.conditions.length} points; the same as a table below`,
        table: ({ series }) => ({
          columns: [ct.axisName(), "similarity", "less the noise", "low", "high", "occurrences"],
          rows: series.conditions.map((name, at) => [
            name,
            series.values[at],
            series.bootstrap ? series.corrected[at] : null,
            series.low[at],
            series.high[at],
            series.support[at],
          ]),
        }),
        subject: (answer) => answer.series.word,
        name: (answer) => `similarity-${answer.series.word}`,
      }),

    frequency: () =>
      ct.panel({
        class: "frequency",
        title: "How often it is used",
        lead: "Occurrences in a million words. A word that becomes rare becomes noisy: that is not a change of meaning.",
        caution: (answer) =>
          answer.rows.some((row) => ct.known(row.low))
            ? `The thin lines are 95 % intervals that take into account how unevenly texts use the word.`
            : null,
        draw: ({ svg, answer, state, width }) =>
          ct.bars({
            svg,
            width,
            conditions: answer.rows.map((row) => row.condition),
            now: ct.nowIn(
              answer.rows.map((row) => row.condition),
              state,
            ),
            axis: "in a million words",
            name: ct.namer(state),
            choose: state.choose,
            bars: answer.rows.map((row) => ({
              value: row.per_million,
              low: row.low,
              high: row.high,
              lines: [
                `${label(row.condition)}: ${format.rate(row.per_million)} in a million`,
                `${format.count(row.count)} in all`,
                row.documents === null
                  ? null
                  : `in ${format.count(row.documents)} of ${format.count(row.of_documents)} texts`,
              ],
            })),
          }),
        label: (answer) => `How often ${answer.word} occurs each time and place; the same as a table below`,
        table: (answer) => ({
          columns: [ct.axisName(), "occurrences", "per million", "low", "high", "texts"],
          rows: answer.rows.map((row) => [row.condition, row.count, row.per_million, row.low, row.high, row.documents]),
        }),
        subject: (answer) => answer.word,
        name: (answer) => `frequency-${answer.word}`,
      }),

    heat: () =>
      ct.panel({
        class: "heat",
        title: (answer) => (answer.axis === "place" ? "Where it means the same" : "When it meant the same"),
        plain: "When it meant the same",
        lead: (answer) =>
          `Every ${answer.axis === "place" ? "place" : "time"} against every other: the stronger the color, the more alike the word is used. Strong blocks are ${answer.axis === "place" ? "places that agree" : "periods of one meaning"}.`,
        caution: (answer) => {
          const [shown, all] = [heatShown(answer).length, answer.conditions.length];
          const some =
            shown < all
              ? `${shown} of ${all} are drawn${answer.axis === "place" ? ", those where it occurs most" : ""}; the table has all. `
              : "";
          return (
            some +
            (answer.similarity.flat().some((value) => !ct.known(value))
              ? `Empty: fewer than ${answer.min_count} occurrences.`
              : "")
          );
        },
        empty: (answer) =>
          answer.similarity.flat().filter(ct.known).length > 1
            ? null
            : "It occurs often enough at too few times or places to compare them.",
        draw: ({ svg, answer, state, width }) => {
          const shown = heatShown(answer);
          const labels = shown.map((at) => answer.conditions[at]);
          const now = ct.nowIn(labels, state);
          ct.heat({
            svg,
            width,
            across: labels,
            down: labels,
            values: shown.map((y) => shown.map((x) => answer.similarity[y][x])),
            nowAcross: now,
            nowDown: now,
            name: ct.namer(state),
            tip: (y, x) => [
              `${label(labels[y])} and ${label(labels[x])}: ${format.number(answer.similarity[shown[y]][shown[x]])}`,
              ct.about.counted && `occurrences: ${format.count(answer.support[shown[y]])} and ${format.count(answer.support[shown[x]])}`,
            ],
            choose: (y, x) => state.choose(labels[x]),
          });
        },
        label: (answer) => `Similarity of ${answer.word} between every two times or places; the same as a table below`,
        table: (answer) => ({
          columns: [ct.axisName(), ...answer.conditions],
          rows: answer.conditions.map((name, at) => [name, ...answer.similarity[at]]),
        }),
        subject: (answer) => answer.word,
        name: (answer) => `heat-map-${answer.word}`,
      }),
  });

  // What is known best: less the noise, where documents were drawn again.
  const best = (series) => (series.bootstrap ? series.corrected : series.values);

  const accepted = (answer) => (answer.changes ? answer.changes.points.filter((point) => point.accepted) : []);

  // As many conditions as tiles can show: places where the word occurs most, or times at even distances.
  function heatShown(answer) {
    const all = answer.conditions.map((_, at) => at);
    if (all.length <= MOST_TILES) return all;
    if (answer.axis !== "place") return ct.columns(all.length, MOST_TILES, -1);
    return all
      .sort((a, b) => answer.support[b] - answer.support[a])
      .slice(0, MOST_TILES)
      .sort((a, b) => a - b);
  }

  function against(series) {
    const first = series.conditions.find((_, at) => ct.known(series.values[at]));
    if (series.against === "previous") return "one step before";
    if (series.against === "overall") return "everywhere else";
    return series.against === first
      ? `in ${label(series.against)}, where it is first seen often enough`
      : `in ${label(series.against)}`;
  }
})((window.chronotope = window.chronotope || {}));
