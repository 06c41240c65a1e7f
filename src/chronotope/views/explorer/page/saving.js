// Charts as files: SVG and PNG on white whatever the theme, the table behind them as CSV; and how to cite the page.
(function (ct) {
  "use strict";

  const KEPT = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-opacity",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "opacity",
    "font-family",
    "font-size",
    "font-weight",
    "font-style",
    "text-anchor",
    "dominant-baseline",
    "paint-order",
  ];
  const MARGIN = 24;

  function download(blob, name) {
    const link = ct.h("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // A copy that needs no style sheet: what the light theme computes for each element becomes its attributes.
  function standalone(svg, title, lines) {
    const stage = ct.h("div", { class: "stage", "data-theme": "light", "aria-hidden": "true" });
    const copy = svg.cloneNode(true);
    for (const gone of copy.querySelectorAll(".leave, .only-here")) gone.remove();
    for (const changed of [copy, ...copy.querySelectorAll(".enter, .faded")])
      changed.classList.remove("enter", "faded");
    stage.append(copy);
    document.body.append(stage);
    const computed = [...copy.querySelectorAll("*")].map((element) => {
      const style = window.getComputedStyle(element);
      return [element, KEPT.map((name) => [name, style.getPropertyValue(name)]), style.display];
    });
    for (const [element, values, display] of computed) {
      if (display === "none") {
        element.remove();
        continue;
      }
      for (const [name, value] of values)
        if (value && value !== "none" && value !== "normal") element.setAttribute(name, value);
      if (window.getComputedStyle(element).fill === "none") element.setAttribute("fill", "none");
      for (const name of ["style", "class", "tabindex", "role", "aria-label", "href"]) element.removeAttribute(name);
    }
    stage.remove();
    const width = Number(svg.getAttribute("width"));
    const height = Number(svg.getAttribute("height"));
    const head = 30 + lines.length * 17;
    const family = window.getComputedStyle(document.body).fontFamily;
    const text = (content, y, size, fill, weight) =>
      ct.s("text", { x: 0, y, "font-family": family, "font-size": size, "font-weight": weight, fill }, content);
    const body = ct.s("g", { transform: `translate(0 ${head})` }, ...copy.childNodes);
    const whole = [width + 2 * MARGIN, height + head + 2 * MARGIN];
    return ct.s(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width: whole[0],
        height: whole[1],
        viewBox: `0 0 ${whole[0]} ${whole[1]}`,
      },
      ct.s("title", null, title),
      ct.s("rect", { width: whole[0], height: whole[1], fill: "#ffffff" }),
      ct.s(
        "g",
        { transform: `translate(${MARGIN} ${MARGIN})` },
        text(title, 16, 18, "#222222", 600),
        lines.map((line, at) => text(line, 38 + at * 17, 12, "#666666", 400)),
        body,
      ),
    );
  }

  function svgText(svg, title, lines) {
    return new XMLSerializer().serializeToString(standalone(svg, title, lines));
  }

  async function png(svg, title, lines) {
    const drawn = standalone(svg, title, lines);
    const blob = new Blob([new XMLSerializer().serializeToString(drawn)], { type: "image/svg+xml" });
    const address = URL.createObjectURL(blob);
    try {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = document.createElement("canvas");
      const scale = 2;
      canvas.width = Number(drawn.getAttribute("width")) * scale;
      canvas.height = Number(drawn.getAttribute("height")) * scale;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  ct.save = {
    svg: (svg, title, lines, name) =>
      download(new Blob([svgText(svg, title, lines)], { type: "image/svg+xml" }), `${name}.svg`),
    png: async (svg, title, lines, name) => download(await png(svg, title, lines), `${name}.png`),
    // The mark at the start tells Excel that the file is UTF-8.
    csv: (table, name) =>
      download(
        new Blob(["\ufeff", ct.csv(table.columns, table.rows)], { type: "text/csv;charset=utf-8" }),
        `${name}.csv`,
      ),
  };

  async function toClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }

  // What a footnote needs: what was looked at, with which model, where, when.
  ct.cite = function (what, signature) {
    const day = new Date().toLocaleDateString("en-US", { year: "numeric", month: "long", day: "numeric" });
    const where = window.location.protocol === "file:" ? decodeURI(window.location.hash) : window.location.href;
    const text = `${what}. Chronotope explorer, model ${signature}. ${where}, seen ${day}.`;
    const dialog = document.getElementById("citation");
    const field = ct.h("textarea", { readonly: true, rows: 5, "aria-label": "Citation" });
    field.value = text;
    const state = ct.h("p", { class: "quiet", role: "status" });
    const button = ct.h(
      "button",
      {
        class: "strong",
        onclick: async () => {
          field.select();
          state.textContent = (await toClipboard(text))
            ? "Copied."
            : "Press Ctrl+C (⌘C on a Mac) to copy the marked text.";
        },
      },
      "Copy",
    );
    ct.replace(
      dialog,
      ct.h("h2", { id: "citation-title" }, "Cite this view"),
      ct.h(
        "p",
        null,
        "The line names the model by its signature: the same text and settings give the same model again.",
      ),
      field,
      ct.h("p", { class: "row" }, button, ct.h("button", { onclick: () => dialog.close() }, "Close")),
      state,
    );
    dialog.showModal();
    button.focus();
  };
})((window.chronotope = window.chronotope || {}));
