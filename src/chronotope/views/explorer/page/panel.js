// A panel: a question as its heading, a sentence that says what is seen, the chart, the table behind it, and the files.
(function (ct) {
  "use strict";

  const LATE = 280;
  const PATIENCE = 600;

  /**
   * @param options
   *   title    the heading, a text or a function of the answer
   *   lead     what the chart shows: text or nodes, or a function of (answer, state)
   *   caution  when not to trust it: the same
   *   draw     draws the answer: ({svg, answer, state, width}) => void; sets the height of the svg
   *   table    the numbers behind it: (answer, state) => {columns, rows}
   *   label    what screen readers say of the chart: (answer, state) => text
   *   name     the names of files: (answer, state) => text
   *   subject  optional: (answer) => the word, for the title of a file, which stands alone
   *   empty    (answer) => a sentence where there is nothing to draw, or null
   *   after    optional: (answer, state) => nodes below the chart
   */
  ct.panel = function (options) {
    const heading = ct.h("h2");
    const lead = ct.h("p", { class: "lead" });
    const svg = ct.s("svg", { class: "chart", role: "group" });
    const plot = ct.h("div", { class: "plot" }, svg);
    const note = ct.h("p", { class: "state", role: "status" });
    const after = ct.h("div", { class: "after" });
    const caution = ct.h("p", { class: "caution" });
    const table = ct.h("div", { class: "table", tabindex: "0", role: "region" });
    const details = ct.h("details", { ontoggle: () => fillTable() }, ct.h("summary", null, "Show as a table"), table);
    const files = ct.h("div", { class: "files", role: "group", "aria-label": "Save this chart" });
    const element = ct.h(
      "section",
      { class: `panel ${options.class || ""}` },
      ct.h("header", null, heading, lead),
      plot,
      note,
      after,
      caution,
      ct.h("footer", null, details, files),
    );
    ct.roving(svg);

    let answer = null;
    let state = null;
    let asked = 0;
    let drawnWidth = 0;
    let waiting = 0;

    const value = (part) => (typeof part === "function" ? part(answer, state) : part);
    const words = (part) =>
      [value(part)].flat(Infinity).filter((item) => item !== null && item !== undefined && item !== "");

    for (const kind of ["svg", "png", "csv"]) {
      files.append(ct.h("button", { "data-save": kind, onclick: () => save(kind) }, kind.toUpperCase()));
    }

    function save(kind) {
      if (!answer) return;
      const name = ct.format.file(options.name(answer, state));
      if (kind === "csv") return ct.save.csv(rowsAndColumns(), name);
      const told = [lead.textContent, answer.signature || ct.about.signature].filter(Boolean);
      const subject = options.subject ? `${ct.format.quoted(options.subject(answer))}: ` : "";
      return ct.save[kind](
        svg,
        subject + heading.textContent,
        told.flatMap((line) => wrap(line, drawnWidth)),
        name,
      );
    }

    function fillTable() {
      if (!details.open || !answer) return;
      table.setAttribute("aria-label", `${heading.textContent}: the table`);
      ct.replace(table, ct.tableOf(rowsAndColumns(), heading.textContent));
    }

    // The table behind the chart; without a column of counts where the model has none.
    function rowsAndColumns() {
      const { columns, rows } = options.table(answer, state);
      const kept = (_, at) => ct.about.counted || columns[at] !== "occurrences";
      return { columns: columns.filter(kept), rows: rows.map((row) => row.filter(kept)) };
    }

    // What is in sight is drawn at once, the rest when the browser has time for it.
    function drawSoon(still) {
      window.cancelIdleCallback(waiting);
      if (inSight()) draw(still);
      else waiting = window.requestIdleCallback(() => draw(still), { timeout: PATIENCE });
    }

    const inSight = () => element.getBoundingClientRect().top < window.innerHeight + 100;

    function draw(still) {
      const width = Math.floor(plot.clientWidth);
      if (!answer || width < 40) return;
      drawnWidth = width;
      svg.classList.toggle("still", Boolean(still));
      ct.set(svg, { width, "aria-label": options.label(answer, state) });
      options.draw({ svg, answer, state, width });
      svg.setAttribute("viewBox", `0 0 ${width} ${svg.getAttribute("height")}`);
      ct.settle(svg);
    }

    function render(still) {
      ct.replace(heading, ...words(options.title));
      ct.replace(lead, ...words(options.lead));
      const nothing = options.empty ? options.empty(answer, state) : null;
      element.classList.toggle("without", Boolean(nothing));
      note.textContent = nothing || "";
      const warned = nothing ? [] : words(options.caution);
      ct.replace(caution, ...warned);
      caution.hidden = !warned.length;
      ct.replace(after, ...(nothing || !options.after ? [] : words(options.after)));
      if (!nothing) drawSoon(still);
      fillTable();
    }

    // Old content stays until the new is there; only what takes long is dimmed.
    async function show(promise, nextState) {
      const mine = ++asked;
      const late = setTimeout(() => {
        element.setAttribute("aria-busy", "true");
        if (!answer) note.textContent = "Working it out …";
      }, LATE);
      try {
        const next = await promise;
        if (mine !== asked) return;
        const first = answer === null;
        answer = next;
        state = nextState;
        element.classList.remove("failed");
        render(first);
      } catch (error) {
        if (mine !== asked || error.name === "AbortError") return;
        answer = null;
        fail(error, promise, nextState);
      } finally {
        clearTimeout(late);
        if (mine === asked) element.removeAttribute("aria-busy");
      }
    }

    function fail(error) {
      if (!heading.textContent || typeof options.title !== "function")
        ct.replace(heading, options.plain || options.title);
      ct.replace(lead);
      ct.replace(after);
      element.classList.add("without");
      // Too little text, or nothing of the kind in this folder, is an answer and not a failure.
      element.classList.toggle("failed", !["too_rare", "unavailable"].includes(error.kind));
      note.textContent = error.message;
      caution.hidden = true;
    }

    new ResizeObserver(() => {
      if (answer && Math.abs(plot.clientWidth - drawnWidth) > 1) drawSoon(true);
    }).observe(plot);

    return {
      element,
      show,
      // What waits to be drawn is not wanted any more.
      leave: () => window.cancelIdleCallback(waiting),
      // A new condition for the same answer: only what depends on it moves.
      update(nextState) {
        if (!answer) return;
        state = nextState;
        render(false);
      },
    };
  };

  function wrap(text, width) {
    const most = Math.max(30, Math.floor(width / 6.2));
    const lines = [""];
    for (const word of text.split(/\s+/)) {
      if ((lines[lines.length - 1] + word).length > most) lines.push("");
      lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + word;
    }
    return lines;
  }

  // A plain table; the first column names the row. A cell may be a node (a link).
  ct.tableOf = function ({ columns, rows }, caption) {
    const numeric = columns.map((_, at) => rows.some((row) => typeof row[at] === "number"));
    const text = (value) =>
      typeof value === "number"
        ? Number.isInteger(value)
          ? ct.format.count(value)
          : ct.format.number(value, 3)
        : (value ?? "–");
    return ct.h(
      "table",
      null,
      caption ? ct.h("caption", { class: "unseen" }, caption) : null,
      ct.h(
        "thead",
        null,
        ct.h(
          "tr",
          null,
          columns.map((name, at) => ct.h("th", { scope: "col", class: numeric[at] && "number" }, name)),
        ),
      ),
      ct.h(
        "tbody",
        null,
        rows.map((row) =>
          ct.h(
            "tr",
            null,
            row.map((value, at) =>
              at === 0
                ? ct.h("th", { scope: "row" }, text(value))
                : ct.h("td", { class: numeric[at] && "number" }, text(value)),
            ),
          ),
        ),
      ),
    );
  };
})((window.chronotope = window.chronotope || {}));
