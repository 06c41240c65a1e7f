// A panel: one question, its chart, a caption with notes on hidden rows, the table, and the files.
"use strict";

{
  const PATIENCE = 600;
  const MOST_ROWS = 500;
  const TALL = 2400;

  ct.panel = function (options) {
    const heading = ct.h("h2", null, options.plain);
    const lead = ct.h("p", { class: "lead" });
    const header = ct.h("header", null, heading, lead);
    const svg = ct.s("svg", { class: "chart", role: "group" });
    const plot = ct.h("div", { class: "plot" }, svg);
    const note = ct.h("p", { class: "state", role: "status" });
    const caption = ct.h("p", { class: "caption" });
    const table = ct.h("div", { class: "table", tabindex: "0", role: "region" });
    const details = ct.h("details", { ontoggle: () => fillTable() }, ct.h("summary", null, "Show as a table"), table);
    const files = ct.h("div", { class: "files", role: "group", "aria-label": "Save this chart" });
    const footer = ct.h("footer", null, details, files);
    const element = ct.h("section", { class: `panel ${options.class || ""}` }, header, plot, note, caption, footer);
    ct.roving(svg);

    /** @type {Answer} */
    let answer = null;
    /** @type {Asked} */
    let asked = null;
    /** @type {State} */
    let state = null;
    let drawnWidth = 0;
    let waiting = 0;
    /** @type {Lines} */
    let hidden = [];

    const button = (kind, action) =>
      ct.h("button", { type: "button", "data-save": kind.toLowerCase(), onclick: () => answer && action() }, kind);
    const json = ct.source.static
      ? button("JSON", () => ct.save.json(answer, name()))
      : ct.h("a", { "data-save": "json", target: "_blank", rel: "noopener" }, "JSON");
    files.append(
      button("SVG", () => save("svg")),
      button("PNG", () => save("png")),
      button("CSV", () => ct.save.csv(answer.rows, name())),
      json,
      button("Python", () => ct.copyPython(asked.question, asked.params)),
    );

    const name = () =>
      ct.format.file(asked.question, ...[asked.params.word, asked.params.at].flat().filter(Boolean));

    function save(kind) {
      const source = `Source: ${ct.about.title} · chronotope ${asked.question} · ${answer.signature || ct.about.signature}`;
      const title = ct.format.word(answer.title || heading.textContent);
      ct.save.picture(kind, svg, { title, lead: lead.textContent, notes: sentences(), source, name: name() });
    }

    function fillTable() {
      if (!details.open || !answer) return;
      table.setAttribute("aria-label", `${heading.textContent}: the table`);
      ct.replace(table, ct.tableOf(answer.rows, heading.textContent));
    }

    const chartOf = () => {
      const given = typeof options.chart === "function" ? options.chart(answer, state) : options.chart;
      return given || ct.questions[asked.question].chart;
    };

    // Visible panels are drawn at once, the others when the browser is idle.
    function drawSoon(still) {
      window.cancelIdleCallback(waiting);
      if (element.getBoundingClientRect().top < window.innerHeight + 100) draw(still);
      else waiting = window.requestIdleCallback(() => draw(still), { timeout: PATIENCE });
    }

    function draw(still) {
      const width = Math.floor(plot.clientWidth);
      const chart = answer && chartOf();
      if (!chart || width < 40) return;
      drawnWidth = width;
      if (svg.dataset.family !== chart.family) ct.replace(svg);
      svg.dataset.family = chart.family;
      svg.classList.toggle("still", still);
      ct.set(svg, { width, "data-nearest": null, "aria-label": `${ct.format.word(answer.title)}; the same as a table below` });
      const extra = options.extra ? options.extra(answer, state) : {};
      hidden = ct.charts[chart.family]({ svg, answer, chart, state, width, ...extra });
      svg.setAttribute("viewBox", `0 0 ${width} ${svg.getAttribute("height")}`);
      const tall = Number(svg.getAttribute("height")) > TALL;
      plot.classList.toggle("tall", tall);
      if (tall) hidden = [...hidden, "Scroll inside the chart to see all rows."];
      ct.settle(svg);
      say();
    }

    /** The caption: sentences of the page, of the answer, and of the chart. */
    function sentences() {
      const own = options.notes ? options.notes(answer, state) : answer.notes;
      const more = options.caption ? options.caption(answer, state) : [];
      return /** @type {string[]} */ ([...more, ...own, ...hidden].filter(Boolean)).map((line) => ct.format.word(line));
    }

    function say() {
      caption.textContent = sentences().join(" ");
      caption.hidden = !caption.textContent;
    }

    function render(still) {
      ct.replace(heading, options.title ? options.title(answer, state) : options.plain || ct.format.word(answer.title));
      const text = typeof options.lead === "function" ? options.lead(answer, state) : options.lead;
      ct.replace(lead, ...[text || ""].flat());
      const nothing = (options.empty && options.empty(answer, state)) || (answer.rows.length ? null : "There are no rows.");
      element.classList.toggle("without", Boolean(nothing));
      element.classList.toggle("chartless", !chartOf());
      note.textContent = nothing || "";
      hidden = [];
      say();
      if (!nothing) drawSoon(still);
      if (!chartOf()) details.open = true;
      if (json instanceof HTMLAnchorElement) json.href = `api/${ct.source.address(asked.question, asked.params)}`;
      fillTable();
    }

    /** Old content stays until the new answer arrives; it is dimmed only if that takes long. */
    const newest = ct.newest(element, () => {
      if (!answer) note.textContent = "Working …";
    });
    const show = (next, nextState) =>
      newest(
        next.answer,
        (found) => {
          const first = answer === null;
          [answer, asked, state] = [found, next, nextState];
          element.classList.remove("failed");
          render(first);
        },
        (error) => fail(error, nextState),
      );

    function fail(error, at) {
      answer = null;
      ct.replace(heading, options.plain);
      ct.replace(lead);
      element.classList.add("without");
      // Too little text, or a question that this folder cannot answer, is not a failure.
      element.classList.toggle("failed", !["too_rare", "unavailable"].includes(error.kind));
      ct.replace(note, ct.sentence(error.message), (options.remedy && options.remedy(error, at)) || null);
      caption.hidden = true;
    }

    new ResizeObserver(() => {
      if (answer && Math.abs(plot.clientWidth - drawnWidth) > 1) drawSoon(true);
    }).observe(plot);

    return {
      element,
      header,
      show,
      leave: () => window.cancelIdleCallback(waiting),
      // A new condition for the same answer.
      update(nextState) {
        if (!answer) return;
        state = nextState;
        render(false);
      },
    };
  };

  /** A message of the library as a sentence. */
  ct.sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

  /** The rows of an answer as a table; the first column names the row. */
  ct.tableOf = function (rows, title) {
    const columns = ct.columnsOf(rows);
    const numeric = columns.map((name) => rows.some((row) => typeof row[name] === "number"));
    const more = rows.length > MOST_ROWS ? `The first ${MOST_ROWS} of ${ct.format.count(rows.length)} rows; the CSV file has all.` : "";
    const head = (name, at) => ct.h("th", { scope: "col", class: numeric[at] && "number" }, name.replace(/_/g, " "));
    const cell = (row, name, at) =>
      ct.h(at ? "td" : "th", at ? { class: numeric[at] ? "number" : name === "text" ? "text" : null } : { scope: "row" }, ct.cell(name, row[name]));
    return ct.h(
      "table",
      null,
      ct.h("caption", { class: more ? null : "unseen" }, more || title),
      ct.h("thead", null, ct.h("tr", null, columns.map(head))),
      ct.h("tbody", null, rows.slice(0, MOST_ROWS).map((row) => ct.h("tr", null, columns.map((name, at) => cell(row, name, at))))),
    );
  };
}
