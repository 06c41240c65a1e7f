// The sentences behind a word: asked for when they come into sight, the word marked, filtered by condition and neighbor.
(function (ct) {
  "use strict";

  const PAGE = 8;
  const STOPPED = 220;

  ct.sentences = function () {
    const heading = ct.h("h2", null, "The sentences");
    const lead = ct.h("p", { class: "lead", role: "status" });
    const list = ct.h("ol", { class: "sentences" });
    const more = ct.h("button", { type: "button", hidden: true, onclick: () => ask(shown) }, "More sentences");
    const save = ct.h(
      "button",
      {
        type: "button",
        "data-save": "csv",
        hidden: true,
        onclick: () => ct.save.csv(table(), ct.format.file("sentences", word)),
      },
      "CSV",
    );
    const chips = ct.h("div", { class: "chips", role: "group", "aria-label": "Only sentences with a neighbor" });
    const everywhere = ct.h("input", {
      type: "checkbox",
      id: "everywhere",
      onchange: () => ct.address.change({ all: everywhere.checked ? "yes" : null }, true),
    });
    const controls = ct.h(
      "div",
      { class: "controls" },
      ct.h("label", { for: "everywhere" }, everywhere, ct.h("span", null, "from all times and places")),
      chips,
    );
    const element = ct.h(
      "section",
      { class: "panel evidence wide", id: "sentences" },
      ct.h("header", null, heading, lead),
      controls,
      list,
      ct.h(
        "footer",
        null,
        more,
        ct.h("div", { class: "files", role: "group", "aria-label": "Save these sentences" }, save),
      ),
    );

    let word = "";
    let question = null;
    let shown = 0;
    let examples = [];
    let asked = 0;
    let visible = false;

    // Reading text from disk is the one slow question: it waits until the reader comes near.
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
          visible = true;
          if (question && question.pending) ask(0);
        }
      },
      { rootMargin: "300px" },
    );
    watcher.observe(element);

    async function ask(offset) {
      const mine = ++asked;
      question.pending = false;
      const late = setTimeout(() => element.setAttribute("aria-busy", "true"), 280);
      try {
        const answer = await ct.source.get("evidence", {
          word: question.word,
          at: question.at,
          near: question.near,
          offset,
          limit: PAGE,
        });
        if (mine !== asked) return;
        examples = offset ? [...examples, ...answer.examples] : answer.examples;
        shown = examples.length;
        render(answer);
      } catch (error) {
        if (mine !== asked) return;
        lead.textContent = error.message;
        if (offset === 0) {
          ct.replace(list);
          more.hidden = save.hidden = true;
        }
      } finally {
        clearTimeout(late);
        if (mine === asked) element.removeAttribute("aria-busy");
      }
    }

    function render(answer) {
      const where = question.at ? `in ${ct.format.label(question.at)}` : "in all";
      const near = question.near ? ` with ${ct.format.quoted(question.near)} nearby` : "";
      const total = answer.near && answer.together !== null ? answer.together : answer.occurrences;
      lead.textContent = examples.length
        ? `${ct.format.quoted(answer.word)} occurs ${where} ${ct.format.times(answer.occurrences)}${near ? `, ${ct.format.times(total)}${near}` : ""}. ${examples.length < total ? `Here are ${ct.format.count(examples.length)}, chosen evenly over the texts.` : ""}`
        : `No sentence ${where} has ${ct.format.quoted(answer.word)}${near}.`;
      ct.join(
        list,
        examples.map((example, at) => ({ example, at })),
        (item) => `${item.example.document}|${item.example.text}|${item.example.start}`,
        () => ct.h("li"),
        (row, { example }) =>
          ct.replace(
            row,
            ct.h("p", { class: "text" }, marked(example)),
            ct.h("p", { class: "source" }, sourceOf(example)),
          ),
      );
      more.hidden = shown >= answer.page.total || !answer.examples.length;
      save.hidden = !examples.length;
    }

    function table() {
      return {
        columns: [ct.axisName(), "date", "place", "document", "sentence"],
        rows: examples.map((one) => [one.condition, one.date, one.place, one.document, one.text]),
      };
    }

    return {
      element,
      // `neighbors` are the words that can be asked for nearby.
      show(nextWord, state, params, neighbors) {
        const at = params.all ? null : state.condition;
        const next = { word: nextWord, at, near: params.near || null, pending: true };
        const same = question && question.word === next.word && question.at === next.at && question.near === next.near;
        everywhere.checked = Boolean(params.all);
        controls.hidden = !ct.about.available.text;
        const words = [...new Set([...(params.near ? [params.near] : []), ...neighbors])].slice(0, 9);
        ct.join(
          chips,
          words,
          (name) => name,
          (name) => ct.h("button", { type: "button", class: "chip", onclick: () => toggle(name) }, name),
          (chip, name) => chip.setAttribute("aria-pressed", String(name === params.near)),
        );
        if (same) return;
        word = nextWord;
        question = next;
        if (!ct.about.available.text) {
          lead.textContent = ct.about.missing.text || "There is no text with this model.";
          return;
        }
        if (visible) ask(0);
      },
      close: () => watcher.disconnect(),
    };

    function toggle(name) {
      ct.address.change({ near: question.near === name ? null : name }, true);
    }
  };

  // One sentence beside the word's name, of the condition looked at: text before charts.
  ct.epigraph = function () {
    const text = ct.h("p", { class: "text" });
    const source = ct.h("p", { class: "source" });
    const element = ct.h("blockquote", { class: "epigraph", hidden: true }, text, source);
    let timer = 0;
    let asked = 0;

    async function ask(word, state) {
      const mine = ++asked;
      let found = null;
      try {
        const answer = await ct.source.get("evidence", {
          word,
          at: state.condition,
          near: null,
          offset: 0,
          limit: PAGE,
        });
        found = fitting(answer.examples);
      } catch {
        // The panel of the sentences says why there are none.
      }
      if (mine !== asked) return;
      element.hidden = found === null;
      if (found === null) return;
      ct.replace(text, ...marked(found));
      source.textContent = sourceOf(found);
    }

    function leave() {
      clearTimeout(timer);
      asked++;
    }

    return {
      element,
      leave,
      show(word, state) {
        leave();
        if (!ct.about.available.text || state.condition === null) element.hidden = true;
        // A slider that is being dragged passes many conditions: the sentence waits for where it stops.
        else timer = setTimeout(() => ask(word, state), STOPPED);
      },
    };
  };

  // The sentence whose length reads best.
  function fitting(examples) {
    const off = (one) => Math.abs(one.text.length - 130);
    return examples.reduce((best, one) => (best === null || off(one) < off(best) ? one : best), null);
  }

  function sourceOf(example) {
    const { at, place } = ct.placeOf(example.condition);
    return [...new Set([example.date || (at && ct.format.label(at)), example.place || place, example.document])]
      .filter(Boolean)
      .join(" · ");
  }

  // The sentence as text nodes, the word and its neighbor in marks of their own.
  function marked(example) {
    const spans = [{ start: example.start, end: example.end, kind: "word" }];
    if (example.near) spans.push({ start: example.near[0], end: example.near[1], kind: "near" });
    spans.sort((a, b) => a.start - b.start);
    const parts = [example.cut_before ? "… " : ""];
    let at = 0;
    for (const span of spans) {
      if (span.start < at) continue;
      parts.push(
        example.text.slice(at, span.start),
        ct.h("mark", { class: span.kind }, example.text.slice(span.start, span.end)),
      );
      at = span.end;
    }
    parts.push(example.text.slice(at), example.cut_after ? " …" : "");
    return parts;
  }
})((window.chronotope = window.chronotope || {}));
