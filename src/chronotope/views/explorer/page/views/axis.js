// Words on an axis between other words: (health + medical) - (duty + attention).
"use strict";

{
  const MOST = 5;

  ct.views.axis = {
    uses: { place: true },
    title: (address) => (address.words.length ? `${address.words.map(ct.format.word).join(", ")} on an axis` : "Words on an axis"),
    create() {
      const picker = ct.wordPicker({ title: "Words placed", label: "Add a word to place", placeholder: "Word to place", go });
      const formula = ct.h("input", { id: "formula", type: "text", maxlength: 500, placeholder: "(war + army) - (peace + treaty)", autocomplete: "off", spellcheck: "false" });
      const fixed = ct.h("input", { id: "fixed", type: "checkbox", onchange: () => formula.value.trim() && go(words) });
      const cite = ct.h("button", { type: "button", onclick: () => ct.cite(`${ct.format.list(words.map(ct.format.quoted))} on the axis ${formula.value}`) }, "Cite");
      const form = ct.h(
        "form",
        { class: "picker", onsubmit: (event) => (event.preventDefault(), go(words)) },
        picker.elements,
        ct.h("label", { class: "field", for: "formula" }, ct.h("span", null, "The axis: words at one end − words at the other"), formula),
        ct.h("label", { for: "fixed" }, fixed, ct.h("span", null, "the same axis at all times")),
        ct.h("button", { class: "strong" }, "Draw"),
        cite,
      );
      const state = ct.h("p", { class: "state", role: "status" });
      const panel = ct.panel({
        class: "wide",
        plain: "On the axis",
        lead: ({ facts }) => {
          const [plus, minus] = [facts.plus, facts.minus].map((words) => ct.format.list(words.map(ct.format.word)));
          return minus ? `Above zero a word is nearer to ${plus}, below zero nearer to ${minus}.` : `The higher, the nearer to ${plus}.`;
        },
        extra: () => ({ colors: words }),
        caption: (answer) => [answer.rows.some((row) => ct.known(row.low)) ? "The band shows how much the position depends on the choice of words for the two ends." : null],
      });
      const holder = ct.h("div", { class: "panels" }, panel.element);
      const element = ct.h(
        "div",
        { class: "axis-page" },
        ct.h(
          "div",
          { class: "opening" },
          ct.h("h1", null, "Words on an axis"),
          ct.h("p", { class: "deck" }, "Name words for the two ends of an axis, such as war and peace, and see where a word lies between them."),
          form,
        ),
        state,
        holder,
      );
      /** @type {string[]} */
      let words = [];

      function go(next) {
        const { params } = ct.address.current();
        ct.address.go("axis", next, { formula: formula.value.trim(), fixed: fixed.checked ? "yes" : null, at: params.at, place: params.place });
      }

      /** @type {View["show"]} */
      async function show(address, where, turn) {
        const every = [...new Set(address.words)];
        words = every.slice(0, MOST);
        const asked = address.params.formula || "";
        if (document.activeElement !== formula || asked) formula.value = asked;
        fixed.checked = Boolean(address.params.fixed);
        picker.show(words);
        const beyond = every.length > MOST ? `Five words at most. Not shown: ${ct.format.list(every.slice(MOST).map(ct.format.word))}. ` : "";
        const missing = !words.length ? "Choose a word to place on the axis." : asked ? "" : "Write the axis: words joined by +, and between the two ends a minus with spaces around it.";
        if (missing) return nothing(missing);
        try {
          const question = ct.ask("axis", { word: words, formula: asked, fixed: fixed.checked || null, place: where.within });
          await question.answer;
          if (!turn.current()) return;
          holder.hidden = cite.hidden = false;
          state.textContent = beyond;
          await panel.show(question, where);
        } catch (error) {
          if (turn.current()) nothing(ct.sentence(error.message));
        }
      }

      function nothing(reason) {
        holder.hidden = cite.hidden = true;
        state.textContent = reason;
      }

      return { element, show };
    },
  };
}
