// A search box that completes words, shows their counts, and suggests words for misspellings.
"use strict";

{
  const WAIT = 70;
  let made = 0;

  ct.combobox = function ({ label, placeholder, choose }) {
    const id = `search-${++made}`;
    const list = ct.h("ul", { id: `${id}-list`, role: "listbox", "aria-label": "Words", hidden: true });
    const hint = ct.h("p", { class: "unseen", role: "status" });
    const said = ct.h("p", { class: "meant", hidden: true });
    const input = ct.h("input", {
      id, type: "text", role: "combobox", "aria-label": label, "aria-autocomplete": "list", "aria-expanded": "false",
      "aria-controls": `${id}-list`, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 100,
      placeholder,
    });
    const drop = ct.h("div", { class: "drop", hidden: true }, said, list);
    const element = ct.h("div", { class: "combobox" }, input, drop, hint);
    /** @type {{word: string, count: number, conditions: number}[]} */
    let rows = [];
    let active = -1;
    let asked = 0;
    let timer = 0;

    function close() {
      drop.hidden = list.hidden = true;
      active = -1;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    }

    function point(at) {
      active = at;
      [...list.children].forEach((option, number) => option.setAttribute("aria-selected", String(number === at)));
      if (at < 0) input.removeAttribute("aria-activedescendant");
      else {
        input.setAttribute("aria-activedescendant", list.children[at].id);
        list.children[at].scrollIntoView({ block: "nearest" });
      }
    }

    function take(word) {
      close();
      asked++;
      input.value = "";
      choose(word);
    }

    function optionOf(row, at) {
      const often = ct.about.counted ? `${ct.format.count(row.count)}×` : "";
      const where = ct.about.conditions.length > 1 ? `in ${row.conditions} of ${ct.about.conditions.length}` : "";
      const act = { onpointerdown: (event) => event.preventDefault(), onclick: () => take(row.word) };
      const support = ct.h("span", { class: "support" }, [often, where].filter(Boolean).join(" · "));
      return ct.h("li", { id: `${id}-${at}`, role: "option", "aria-selected": "false", ...act }, ct.h("span", { class: "word" }, ct.format.word(row.word)), support);
    }

    async function ask() {
      const query = input.value.trim();
      const mine = ++asked;
      if (!query) return close();
      let answer;
      try {
        answer = await ct.source.get("words", { query, limit: 8 });
      } catch (error) {
        if (mine !== asked) return;
        rows = [];
        ct.replace(list);
        said.textContent = error.message;
        said.hidden = drop.hidden = false;
        return;
      }
      if (mine !== asked) return;
      rows = answer.matches.length ? answer.matches : answer.did_you_mean;
      ct.replace(list, ...rows.map(optionOf));
      said.hidden = answer.matches.length > 0;
      said.textContent = rows.length ? `No word contains “${query}”. Did you mean:` : `No word contains “${query}”, and none has a similar spelling.`;
      hint.textContent = answer.matches.length ? ct.format.many(rows.length, "word") : said.textContent;
      drop.hidden = false;
      list.hidden = !rows.length;
      input.setAttribute("aria-expanded", String(rows.length > 0));
      point(-1);
    }

    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, WAIT);
    });
    input.addEventListener("focus", () => input.value.trim() && ask());
    input.addEventListener("blur", close);
    input.addEventListener("keydown", async (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (drop.hidden) await ask();
        if (rows.length && !list.hidden)
          point((active + (event.key === "ArrowDown" ? 1 : active < 0 ? 0 : -1) + rows.length) % rows.length);
      } else if (event.key === "Escape") {
        if (drop.hidden) input.value = "";
        close();
      } else if (event.key === "Enter" && input.value.trim()) {
        event.preventDefault();
        if (active < 0) {
          clearTimeout(timer);
          await ask();
        }
        const typed = input.value.trim();
        const exact =
          rows.find((row) => row.word === typed) || rows.find((row) => row.word.toLowerCase() === typed.toLowerCase());
        const picked = active >= 0 ? rows[active] : exact || rows[0];
        if (picked) take(picked.word);
      }
    });
    return { element, input };
  };

  /** The words of the address: a chip for each, which removes it, and a box that adds one. */
  ct.wordPicker = function ({ title, label, placeholder, go }) {
    const chips = ct.h("div", { class: "chips", role: "group", "aria-label": title });
    const chosen = () => ct.address.current().words;
    const box = ct.combobox({ label, placeholder, choose: (word) => chosen().includes(word) || go([...chosen(), word]) });
    const chipOf = (word) => {
      const remove = () => go(chosen().filter((other) => other !== word));
      const cross = ct.h("span", { "aria-hidden": "true" }, " ×");
      return ct.h("button", { type: "button", onclick: remove, "aria-label": `Remove ${word}` }, ct.h("span", null, ct.format.word(word)), cross);
    };
    return {
      elements: [chips, box.element],
      show: (words) => ct.join(chips, words, String, chipOf, (chip, word) => (chip.className = `chip away color-${words.indexOf(word)}`)),
    };
  };
}
