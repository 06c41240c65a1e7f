// The sentences with a word, their dates and documents; filtered by condition, document and neighbor.
"use strict";

{
  const PAGE = 8;
  const ASKED = 50;

  /** The sentences for the panel, and for the quotation beside the word's name. */
  ct.evidence = (word, at, near = null) => ct.ask("evidence", { word, at, near, top: ASKED });

  ct.sentences = function ({ title = "The sentences", choices = true } = {}) {
    const lead = ct.h("p", { class: "lead", role: "status" });
    const list = ct.h("ol", { class: "sentences" });
    const caption = ct.h("p", { class: "caption", hidden: true });
    const more = ct.h("button", { type: "button", hidden: true, onclick: () => ((shown += PAGE), render()) }, "More sentences");
    const save = ct.h("div", { class: "files", role: "group", "aria-label": "Save these sentences", hidden: true });
    const chips = ct.h("div", { class: "chips", role: "group", "aria-label": "Only sentences with a neighbor" });
    const from = ct.h("select", { id: "from", onchange: () => ct.address.change({ from: from.value || null }, true) });
    const source = ct.h("select", { id: "source", onchange: () => ((shown = PAGE), render()) });
    const controls = ct.h(
      "div",
      { class: "controls" },
      ct.h("label", { class: "choice" }, ct.h("span", null, "From"), from),
      ct.h("label", { class: "choice" }, ct.h("span", null, "Document"), source),
      chips,
    );
    const element = ct.h(
      "section",
      { class: "panel evidence wide", id: choices ? "sentences" : null },
      ct.h("header", null, ct.h("h2", null, title), lead),
      choices ? controls : null,
      list,
      caption,
      ct.h("footer", null, more, save),
    );
    from.append(
      ct.h("option", { value: "" }, "as chosen above"),
      ct.h("option", { value: "all" }, `all ${ct.format.axes("and")}`),
      ...ct.about.conditions.map((one) => ct.h("option", { value: one.label }, ct.format.label(one.label))),
    );

    /** @type {Answer} */
    let answer = null;
    /** @type {Params} */
    let asked = {};
    let shown = PAGE;

    function render() {
      const rows = answer.rows.filter((row) => !source.value || row.document === source.value);
      // The rows are in order of time, so that an even choice is spread over times and documents.
      const seen = rows.filter((_, at) => Math.ceil(((at + 1) * shown) / rows.length) > Math.ceil((at * shown) / rows.length));
      const where = asked.at ? `${ct.format.in(asked.at)}` : `in all ${ct.format.axes("and")}`;
      const near = asked.near ? ` near ${ct.format.quoted(asked.near)}` : "";
      lead.textContent = rows.length
        ? `${ct.format.quoted(asked.word)} ${where}${near}: ${seen.length} of ${rows.length}${rows.length >= ASKED ? " or more" : ""} sentences, spread evenly over the documents.`
        : `No sentence ${where} has ${ct.format.quoted(asked.word)}${near}.`;
      ct.join(list, seen, (row) => `${row.document}|${row.text}|${row.start}`, () => ct.h("li"), (item, row) =>
        ct.replace(item, ct.h("p", { class: "text" }, marked(row)), ct.h("p", { class: "source" }, sourceOf(row))),
      );
      more.hidden = shown >= rows.length;
      save.hidden = !rows.length;
      caption.textContent = answer.notes.map(ct.format.word).join(" ");
      caption.hidden = !answer.notes.length;
    }

    function documents() {
      const names = ct.distinct(answer.rows, "document").filter(Boolean).sort();
      const kept = names.includes(source.value) ? source.value : "";
      ct.replace(source, ct.h("option", { value: "" }, `all ${names.length}`), ...names.map((name) => ct.h("option", { value: name }, ct.format.clip(String(name), 60))));
      source.value = kept;
      source.parentElement.hidden = names.length < 2;
    }

    const newest = ct.newest(element, () => {
      if (!answer) lead.textContent = "Working …";
    });
    const ask = (question) =>
      newest(question.answer, (found) => {
        [answer, asked, shown] = [found, question.params, PAGE];
        ct.replace(
          save,
          ct.h("button", { type: "button", "data-save": "csv", onclick: () => ct.save.csv(answer.rows, ct.format.file("sentences", asked.word)) }, "CSV"),
          ct.h("button", { type: "button", "data-save": "python", onclick: () => ct.copyPython("evidence", asked) }, "Python"),
        );
        documents();
        render();
      }, (error) => {
        answer = null;
        lead.textContent = ct.sentence(error.message);
        ct.replace(list);
        more.hidden = save.hidden = caption.hidden = true;
      });

    return {
      element,
      show(word, state, params, neighbors = []) {
        const at = params.from === "all" ? null : params.from || state.condition;
        from.value = params.from || "";
        controls.hidden = !ct.about.available.text;
        const words = [...new Set([...(params.near ? [params.near] : []), ...neighbors])].slice(0, 9);
        ct.join(
          chips,
          words,
          (name) => name,
          (name) => ct.h("button", { type: "button", class: "chip", onclick: () => ct.address.change({ near: ct.address.current().params.near === name ? null : name }, true) }, ct.format.word(name)),
          (chip, name) => chip.setAttribute("aria-pressed", String(name === params.near)),
        );
        if (ct.about.available.text) ask(ct.evidence(word, at, params.near || null));
        else lead.textContent = ct.sentence(ct.about.missing.text || "There is no text with this model.");
      },
    };
  };

  /** A sentence beside the word's name, from the chosen condition. */
  ct.epigraph = function () {
    const text = ct.h("p", { class: "text" });
    const source = ct.h("p", { class: "source" });
    const element = ct.h("blockquote", { class: "epigraph", hidden: true }, text, source);
    let turn = 0;
    return {
      element,
      leave: () => void turn++,
      async show(word, state) {
        const mine = ++turn;
        /** @type {Row[]} */
        let rows = [];
        try {
          if (ct.about.available.text && state.condition) rows = (await ct.evidence(word, state.condition).answer).rows;
        } catch {
          // The panel of the sentences shows the error.
        }
        if (mine !== turn) return;
        // The sentence with the best length for a quotation.
        const off = (row) => Math.abs(row.text.length - 130);
        const best = rows.reduce((found, row) => (found === null || off(row) < off(found) ? row : found), /** @type {Row} */ (null));
        element.hidden = best === null;
        if (best === null) return;
        ct.replace(text, ...marked(best));
        source.textContent = sourceOf(best);
      },
    };
  };

  function sourceOf(row) {
    const { at, place } = ct.placeOf(row.condition);
    return [...new Set([row.date || (at && ct.format.label(at)), row.place || place, row.document])].filter(Boolean).join(" · ");
  }

  /** The sentence as text nodes, with marks around the word and its neighbor. */
  function marked(row) {
    const spans = [{ start: row.start, end: row.end, kind: "word" }];
    if (ct.known(row.near_start)) spans.push({ start: row.near_start, end: row.near_end, kind: "near" });
    spans.sort((a, b) => a.start - b.start);
    const parts = [row.cut_before ? "… " : ""];
    let at = 0;
    for (const span of spans) {
      if (span.start < at) continue;
      parts.push(row.text.slice(at, span.start), /** @type {any} */ (ct.h("mark", { class: span.kind }, row.text.slice(span.start, span.end))));
      at = span.end;
    }
    parts.push(row.text.slice(at), row.cut_after ? " …" : "");
    return parts;
  }
}
