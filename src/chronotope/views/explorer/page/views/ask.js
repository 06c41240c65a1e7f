// Any question of the registry: a form made from its parameters, its chart, its table.
"use strict";

{
  ct.views.ask = {
    uses: {},
    title: (address) => (address.words[0] ? `Ask: ${title(address.words[0])}` : "All questions"),
    create() {
      const element = ct.h("div", { class: "ask-page" });
      /** @type {ReturnType<typeof asking> | null} */
      let page = null;
      return {
        element,
        async show(address, state) {
          // The command line writes usage-change.
          const name = address.words[0]?.replace(/-/g, "_");
          if (!name) {
            page = null;
            return ct.replace(element, all());
          }
          if (!Object.hasOwn(ct.questions, name)) throw Object.assign(new Error(`There is no question “${name}”.`), { kind: "unknown_page" });
          if (!page || page.name !== name) {
            page = asking(ct.questions[name]);
            ct.replace(element, page.element);
          }
          // The page has no chooser of a place: labels leave out only a place that the question names.
          await page.show(address.params, { ...state, place: address.params.place ?? null });
        },
      };
    },
  };

  const title = (name) => name.replace(/_/g, " ");

  /** All questions by their groups. */
  function all() {
    const groups = ct.groups(Object.values(ct.questions), "group");
    return [
      ct.h("div", { class: "opening" }, ct.h("h1", null, "All questions"), ct.h("p", { class: "deck" }, "All questions about this model, with the same names as in Python and on the command line.")),
      ct.h(
        "div",
        { class: "panels" },
        [...groups].map(([group, questions]) =>
          ct.h(
            "section",
            { class: "panel" },
            ct.h("header", null, ct.h("h2", null, group)),
            ct.h(
              "dl",
              { class: "facts" },
              questions.map((one) => [
                ct.h("dt", null, one.available === false ? title(one.name) : ct.h("a", { href: `#/ask/${one.name}` }, title(one.name))),
                ct.h("dd", null, one.summary, one.available === false ? ct.h("span", { class: "quiet" }, ` ${ct.sentence(one.reason || "Not available here")}`) : null),
              ]),
            ),
          ),
        ),
      ),
    ];
  }

  function asking(question) {
    const fields = question.parameters.map(field);
    const first = fields.filter((one) => one.parameter.required || ["at", "from", "to", "top"].includes(one.parameter.name));
    const rest = fields.filter((one) => !first.includes(one));
    const note = ct.h("p", { class: "state", role: "status" });
    const panel = ct.panel({ class: "wide answer", plain: title(question.name), title: (answer) => ct.format.word(answer.title), chart: corrected });
    const holder = ct.h("div", { class: "panels", hidden: true }, panel.element);
    /** The chart, of corrected values if the answer has them: the notes and the intervals are about these. */
    function corrected(answer) {
      const { chart } = question;
      const column = chart && ["lines", "ranked"].includes(chart.family) && (chart.family === "lines" ? "y" : "value");
      return column && answer.rows.some((row) => ct.known(row.corrected)) ? { ...chart, [column]: "corrected" } : chart;
    }
    const form = ct.h(
      "form",
      { class: "asking", onsubmit: (event) => (event.preventDefault(), go()) },
      first.map((one) => one.element),
      rest.length ? ct.h("details", { class: "settings" }, ct.h("summary", null, "More settings"), ct.h("div", null, rest.map((one) => one.element))) : null,
      ct.h("p", { class: "row" }, ct.h("button", { class: "strong" }, "Ask")),
      ct.h("datalist", { id: "conditions" }, ct.about.conditions.map((one) => ct.h("option", { value: one.label }))),
      ct.h("datalist", { id: "places" }, ct.about.places.map((place) => ct.h("option", { value: place }))),
    );
    const go = () => ct.address.go("ask", [question.name], Object.fromEntries(fields.map((one) => [one.parameter.name, one.read()])));
    return {
      name: question.name,
      element: ct.h(
        "div",
        null,
        ct.h("div", { class: "opening" }, ct.h("p", { class: "quiet" }, ct.h("a", { href: "#/ask" }, "All questions")), ct.h("h1", null, title(question.name)), ct.h("p", { class: "deck" }, question.summary), form, note),
        holder,
      ),
      async show(params, state) {
        for (const one of fields) one.write(params[one.parameter.name] ?? "");
        const missing = fields.filter((one) => one.parameter.required && !params[one.parameter.name]);
        holder.hidden = missing.length > 0;
        note.textContent = missing.length ? `Needed: ${ct.format.list(missing.map((one) => one.parameter.name))}.` : "";
        if (missing.length) return;
        const given = fields.filter((one) => params[one.parameter.name]).map((one) => [one.parameter.name, one.value(params[one.parameter.name])]);
        await panel.show(ct.ask(question.name, Object.fromEntries(given)), state);
      },
    };
  }

  /** A field of the form. */
  function field(parameter) {
    const { name, type, choices, complete, least, most, many } = parameter;
    const usual = parameter.default === null || parameter.default === undefined ? "" : String(parameter.default);
    const input = /** @type {HTMLInputElement} */ (
      /** @type {HTMLElement} */ (
        choices
          ? ct.h("select", null, ct.h("option", { value: "" }, usual ? `${usual} (default)` : "–"), choices.filter((one) => one !== usual).map((one) => ct.h("option", { value: one }, one)))
          : type === "bool"
            ? ct.h("input", { type: "checkbox" })
            : ct.h("input", { type: "text", inputmode: type === "int" ? "numeric" : null, placeholder: usual, autocomplete: "off", spellcheck: "false", list: complete || null })
      )
    );
    const limits = ct.known(least) && most < 100_000 ? ` From ${least} to ${ct.format.count(most)}.` : "";
    return {
      parameter,
      element: ct.h("label", { class: `field ${type}` }, ct.h("span", { class: "name" }, name.replace(/_/g, " ")), input, ct.h("span", { class: "quiet" }, `${parameter.help}${many ? " Separate several by commas." : ""}${limits}`)),
      read: () => (type === "bool" ? (input.checked ? "true" : "") : input.value.trim()),
      write(text) {
        if (type === "bool") input.checked = text === "true";
        else input.value = text;
      },
      /** The value for the API. */
      value: (text) => {
        if (type === "bool") return text === "true";
        if (many) return text.split(",").map((one) => one.trim()).filter(Boolean);
        return type === "int" || type === "float" ? Number(text) : text;
      },
    };
  }
}
