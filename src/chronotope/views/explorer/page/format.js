// Numbers and lists as a reader wants them.
(function (ct) {
  "use strict";

  const whole = new Intl.NumberFormat("en-US");

  ct.format = {
    count: (n) => whole.format(n),
    // 0.713 as “0.71”; nothing is shown for what is not known.
    number: (value, digits = 2) => (known(value) ? value.toFixed(digits).replace("-", "−") : "–"),
    rate: (value) => (!known(value) ? "–" : value >= 100 ? whole.format(Math.round(value)) : value.toPrecision(2)),
    // How often a word occurs; a model that was made of other programs' vectors may not know.
    times(n) {
      if (n > 0 && !ct.about.counted) return "an unknown number of times";
      return n === 0 ? "never" : n === 1 ? "once" : n === 2 ? "twice" : `${whole.format(n)} times`;
    },
    ordinal(n) {
      const teen = n % 100 > 10 && n % 100 < 14;
      return n + (teen ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th");
    },
    // “a, b and c”
    list(words) {
      return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
    },
    quoted: (word) => `“${word}”`,
    // A file name that every system takes.
    file: (...parts) =>
      parts
        .map((part) => String(part).replace(/[^\p{L}\p{N}_-]+/gu, "-"))
        .join("-")
        .slice(0, 80),
    clip: (text, most) => (text.length > most ? `${text.slice(0, Math.max(most - 1, 1))}…` : text),
    // "1880-1899" reads better with a dash of its own: “1880–1899”. Only for the eye; addresses keep the label.
    label: (label) =>
      String(label)
        .replace(/^(\d{4})-(\d{4})(?=$|\/)/, "$1–$2")
        .replace("/", " · "),
  };

  function known(value) {
    return value !== null && value !== undefined && Number.isFinite(value);
  }

  ct.known = known;

  // How strongly a value is drawn, from how often the word occurs: few occurrences are drawn lighter.
  ct.trust = (support) =>
    !known(support) ? 1 : support <= 0 ? 0.2 : Math.min(1, 0.32 + 0.68 * (support / (support + 20)) * 1.35);

  ct.csv = function (columns, rows) {
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    };
    return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
  };
})((window.chronotope = window.chronotope || {}));
