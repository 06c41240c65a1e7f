// Charts as files: SVG and PNG on white with their source line, the rows as CSV or JSON; citations and Python to copy.
"use strict";

{
  const KEPT = (
    "fill fill-opacity stroke stroke-opacity stroke-width stroke-dasharray stroke-linecap stroke-linejoin opacity " +
    "font-family font-size font-weight font-style text-anchor dominant-baseline paint-order"
  ).split(" ");
  const MARGIN = 24;
  const SCALE = 2;

  function download(blob, name) {
    const link = ct.h("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** A copy of a chart that needs no style sheet: the styles of the light theme become attributes. */
  function standalone(svg, title, head, foot) {
    const stage = ct.h("div", { class: "stage", "data-theme": "light", "aria-hidden": "true" });
    const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
    for (const gone of copy.querySelectorAll(".leave, .only-here")) gone.remove();
    for (const changed of [copy, ...copy.querySelectorAll(".enter, .faded, .pointed")])
      changed.classList.remove("enter", "faded", "pointed");
    stage.append(copy);
    document.body.append(stage);
    const computed = [...copy.querySelectorAll("*")].map((element) => {
      const style = window.getComputedStyle(element);
      const values = KEPT.map((name) => [name, style.getPropertyValue(name)]);
      return { element, values, hidden: style.display === "none" || style.visibility === "hidden", fill: style.fill };
    });
    for (const { element, values, hidden, fill } of computed) {
      if (hidden) {
        element.remove();
        continue;
      }
      for (const [name, value] of values)
        if (value && value !== "none" && value !== "normal") element.setAttribute(name, value);
      if (fill === "none") element.setAttribute("fill", "none");
      for (const name of ["style", "class", "tabindex", "role", "aria-label", "href"]) element.removeAttribute(name);
    }
    stage.remove();
    const width = Number(svg.getAttribute("width"));
    const height = Number(svg.getAttribute("height"));
    const above = 30 + head.length * 17;
    const family = window.getComputedStyle(document.body).fontFamily;
    const text = (content, y, size, fill, weight) =>
      ct.s("text", { x: 0, y, "font-family": family, "font-size": size, "font-weight": weight, fill }, content);
    const whole = [width + 2 * MARGIN, above + height + 24 + foot.length * 16 + 2 * MARGIN];
    return ct.s(
      "svg",
      { xmlns: "http://www.w3.org/2000/svg", width: whole[0], height: whole[1], viewBox: `0 0 ${whole[0]} ${whole[1]}` },
      ct.s("title", null, title),
      ct.s("rect", { width: whole[0], height: whole[1], fill: "#ffffff" }),
      ct.s(
        "g",
        { transform: `translate(${MARGIN} ${MARGIN})` },
        text(title, 16, 18, "#222222", 600),
        head.map((line, at) => text(line, 38 + at * 17, 12, "#555555", 400)),
        ct.s("g", { transform: `translate(0 ${above})` }, ...copy.childNodes),
        foot.map((line, at) => text(line, above + height + 24 + at * 16, 11, "#666666", 400)),
      ),
    );
  }

  const textOf = (drawn) => new XMLSerializer().serializeToString(drawn);

  async function png(drawn) {
    const address = URL.createObjectURL(new Blob([textOf(drawn)], { type: "image/svg+xml" }));
    try {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = Number(drawn.getAttribute("width")) * SCALE;
      canvas.height = Number(drawn.getAttribute("height")) * SCALE;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  /** Break a text into lines that fit. */
  function wrap(text, width) {
    const most = Math.max(30, Math.floor(width / 6.2));
    const lines = [""];
    for (const word of text.split(/\s+/)) {
      if ((lines[lines.length - 1] + word).length > most) lines.push("");
      lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + word;
    }
    return lines.filter(Boolean);
  }

  /** Save a chart. */
  async function picture(kind, svg, { title, lead, notes, source, name }) {
    const width = Number(svg.getAttribute("width"));
    const drawn = standalone(svg, title, wrap(lead, width), [...notes, source].flatMap((line) => wrap(line, width)));
    download(kind === "svg" ? new Blob([textOf(drawn)], { type: "image/svg+xml" }) : await png(drawn), `${name}.${kind}`);
  }

  ct.save = {
    picture,
    /** The mark at the start tells Excel that the file is UTF-8. */
    csv: (rows, name) =>
      download(new Blob(["\ufeff", ct.csv(rows)], { type: "text/csv;charset=utf-8" }), `${name}.csv`),
    json: (data, name) =>
      download(new Blob([JSON.stringify(data, null, 1)], { type: "application/json" }), `${name}.json`),
  };

  /** Show a text to copy in a dialog, and copy it if the browser allows that. */
  function copying(title, about, text) {
    const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("copying"));
    const field = ct.h("textarea", { readonly: true, rows: 5, spellcheck: "false", "aria-label": title });
    field.value = text;
    const state = ct.h("p", { class: "quiet", role: "status" });
    async function copy() {
      field.select();
      try {
        await navigator.clipboard.writeText(text);
        state.textContent = "Copied.";
      } catch {
        state.textContent = "Press Ctrl+C (⌘C on a Mac) to copy the marked text.";
      }
    }
    const button = ct.h("button", { class: "strong", onclick: copy }, "Copy");
    const close = ct.h("button", { onclick: () => dialog.close() }, "Close");
    ct.replace(dialog, ct.h("h2", { id: "copying-title" }, title), ct.h("p", null, about), field, ct.h("p", { class: "row" }, button, close), state);
    dialog.showModal();
    button.focus();
    copy();
  }

  /** A line for a footnote: the view, the model, the address and the day. */
  ct.cite = function (what) {
    const day = new Date().toLocaleDateString("en-US", { year: "numeric", month: "long", day: "numeric" });
    const where = window.location.protocol === "file:" ? decodeURI(window.location.hash) : window.location.href;
    copying(
      "Cite this view",
      "The signature identifies the model: the same text and settings give the same model.",
      `${what}. Chronotope explorer, model ${ct.about.signature}. ${where}, seen ${day}.`,
    );
  };

  /** The call that gives the same answer in Python. */
  function python(question, params) {
    /** @type {(value: any) => string} */
    const literal = (value) => {
      if (Array.isArray(value)) return value.length === 1 ? literal(value[0]) : `[${value.map(literal).join(", ")}]`;
      return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
    };
    const { word, ...rest } = params;
    // On the command line and in the API a range is `from` and `to`, which Python does not allow as names.
    const range = (ct.questions[question] || { parameters: [] }).parameters.some((one) => one.name === "from");
    const name = (key) => (range && key === "from" ? "start" : range && key === "to" ? "end" : key);
    const given = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
    const parts = ["model", ...(word ? [literal(word)] : []), ...given.map(([key, value]) => `${name(key)}=${literal(value)}`)];
    return `ct.${question}(${parts.join(", ")})`;
  }

  ct.copyPython = (question, params) =>
    copying(
      "Copy as Python",
      'This call gives the same rows. Run before it: import chronotope as ct; model = ct.load("MODEL FILE")',
      python(question, params),
    );
}
