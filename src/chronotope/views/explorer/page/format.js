// Numbers, words and lists as text.
"use strict";

{
  const whole = new Intl.NumberFormat("en-US");
  const known = (value) => typeof value === "number" && Number.isFinite(value);
  ct.known = known;

  ct.format = {
    count: (n) => whole.format(n),
    /** 0.713 as “0.71”; a dash for an unknown value. */
    number: (value, digits = 2) => (known(value) ? value.toFixed(digits).replace("-", "−") : "–"),
    /** The number of decimals that distinguishes values between these two. */
    digits: (low, high) => (high > low ? Math.min(4, Math.max(2, 1 - Math.floor(Math.log10(high - low)))) : 2),
    /** A number of any size, short. */
    short: (value) =>
      known(value) && Math.abs(value) >= 100 ? whole.format(Math.round(value)) : ct.format.number(value, Math.abs(value) >= 10 ? 1 : 2),
    /** How often a word occurs; unknown for vectors of other programs without counts. */
    times(n) {
      if (n > 0 && !ct.about.counted) return "an unknown number of times";
      return n === 0 ? "never" : n === 1 ? "once" : n === 2 ? "twice" : `${whole.format(n)} times`;
    },
    /** “1 word”, “2 words” */
    many: (n, what) => `${whole.format(n)} ${what}${n === 1 ? "" : "s"}`,
    ordinal(n) {
      const teen = n % 100 > 10 && n % 100 < 14;
      return n + (teen ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th");
    },
    /** “a, b and c” */
    list: (words) => new Intl.ListFormat("en-GB").format(words),
    /** The first few of a long list. */
    some: (words, most = 8) =>
      words.length > most ? `${words.slice(0, most).join(", ")} and ${words.length - most} more` : ct.format.list(words),
    /** “times and places”, or only the one that the model has. */
    axes: (between) => [ct.about.times.length && "times", ct.about.places.length && "places"].filter(Boolean).join(` ${between} `),
    /** A phrase (prime_minister) reads with spaces; data keeps the underscores. */
    word: (word) => String(word).replace(/(?<=[\p{L}\p{N}])_+(?=[\p{L}\p{N}])/gu, " "),
    quoted: (word) => `“${ct.format.word(word)}”`,
    /** A file name that every system accepts. */
    file: (...parts) => parts.map((part) => String(part).replace(/[^\p{L}\p{N}_-]+/gu, "-")).join("-").slice(0, 80),
    clip: (text, most) => (text.length > most ? `${text.slice(0, Math.max(most - 1, 1))}…` : text),
    /** A condition with its preposition: “in the 1980s”. "1880-1899/canada" reads “1880–1899 · canada”. */
    in: (label) => `in ${/^\d+s\b/.test(label) ? "the " : ""}${ct.format.label(label)}`,
    /** The same without “in”. */
    label: (label) => String(label).replace(/^(\d{4})-(\d{4})(?=$|\/)/, "$1–$2").replace("/", " · "),
  };

  /** Columns that hold conditions: shown with their dashes. */
  const LABELS = new Set(["condition", "at", "against", "before", "after", "time"]);

  /** A value of a table as text. */
  ct.cell = function (column, value) {
    if (value === null || value === undefined) return "–";
    if (Array.isArray(value)) return value.map(ct.format.word).join(", ");
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value !== "number") return LABELS.has(column) ? ct.format.label(value) : ct.format.word(value);
    if (Number.isInteger(value)) return whole.format(value);
    return Math.abs(value) < 0.001 && value !== 0 ? value.toExponential(1) : ct.format.number(value, 3);
  };

  /** The columns of an answer that hold a value; no counts if the model has none. */
  ct.columnsOf = (rows) =>
    Object.keys(rows[0] || {}).filter(
      (name) =>
        rows.some((row) => row[name] !== null && row[name] !== undefined) &&
        (ct.about.counted || !/count|per_million|documents|tokens/.test(name)),
    );

  /** The rows of an answer as CSV. A text that begins with = + - @ gets an apostrophe: spreadsheets would run it. */
  ct.csv = function (rows) {
    const columns = Object.keys(rows[0] || {});
    const cell = (value) => {
      let text = value === null || value === undefined ? "" : Array.isArray(value) ? value.join("; ") : String(value);
      if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
      return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    };
    const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
    return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  };
}
