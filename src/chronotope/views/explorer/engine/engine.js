// Answers the questions of the page in the browser like the API: computed here, or written at export.
"use strict";
{
  const { chronotope } = window;
  const { lib } = chronotope;
  const { model, meaning, lookup } = lib;
  const { manifest, about } = model;
  /** @type {Map<string, Question>} */
  const questions = new Map(manifest.questions.map((one) => [one.name, one]));
  const { neighbors, equivalents, series, matrix, similarity, analogy } = meaning;
  /** @type {Record<string, (asked: any) => Promise<any>>} */
  const computed = {
    neighbors, equivalents, series, matrix, similarity, analogy, axis: lib.axis.axis, evidence: lib.sentences.evidence,
  };
  const FILTERS = ["words", "exclude", "no_names", "no_numbers", "min_documents"];
  const SERVER = "run `chronotope explore` on the model to ask";

  /** Check a value and convert it to the type of its parameter. @param {Parameter} parameter @param {any} value */
  function read(parameter, value) {
    const { name, type, many, required, choices, least, most } = parameter;
    const bad = (why) => model.fail("bad_request", `${name}: ${why}`);
    if (value === undefined || value === null || value === "" || value.length === 0) return required ? bad("a value is required") : parameter.default;
    if (many) return [value].flat().map(String);
    if (choices && !choices.includes(String(value))) bad(`one of ${choices.join(", ")}`);
    if (type === "bool") return value === true || value === "true";
    if (type === "str") return String(value);
    const number = Number(value);
    if (!Number.isFinite(number) || (type === "int" && !Number.isInteger(number))) bad("a number is needed");
    if (least !== null && number < least) bad(`at least ${least}`);
    if (most !== null && number > most) bad(`at most ${most}`);
    return number;
  }

  /** Return an answer that was written at export. @param {Question} question @param {Record<string, any>} asked */
  async function written(question, asked) {
    const { words, variants, listed } = manifest.written[question.name];
    const own = (settings) =>
      question.parameters.every(({ name, default: usual }) =>
        name === "word" || (name === "at" && listed) || (name === "top" && asked.top <= listed) || same(asked[name], name in settings ? settings[name] : usual));
    const variant = variants.findIndex(own);
    if (variant < 0) model.fail("unavailable", `this folder answers this question with its default settings only; ${SERVER} otherwise`);
    if (!words) return unfold(question, (await lib.load(`${question.name}-0`))[0][variant], listed ? asked : {});
    const answers = [];
    for (const word of [asked.word].flat()) {
      const place = words.indexOf(model.wordId(word));
      if (place < 0) model.fail("unavailable", `this folder answers this question for ${words.length} words, and '${word}' is not among them; ${SERVER} about any word`);
      const size = manifest.words_in_a_part;
      const part = await lib.load(`${question.name}-${Math.floor(place / size)}`);
      answers.push(unfold(question, part[place % size][variant], listed ? asked : {}));
    }
    const [first] = answers;
    if (answers.length === 1) return first;
    const title = `${[asked.word].flat().join(", ")}${first.title.slice(first.title.indexOf(":"))}`;
    const notes = [...new Set(answers.flatMap((one) => one.notes))];
    return { ...first, title, notes, rows: answers.flatMap((one) => one.rows) };
  }

  const same = (a, b) => (a ?? null) === (b ?? null) || String(a).toLowerCase() === String(b).toLowerCase();

  /**
   * Return an answer as the API gives it. Its rows are written as lists, the best first in each condition.
   * @param {Question} question @param {any} kept @param {{at?: string, top?: number}} asked
   */
  function unfold(question, kept, { at, top }) {
    if (kept.error) model.fail(kept.error.kind, kept.error.message);
    const names = question.columns.map((column) => column.name);
    /** @type {any[]} */
    let rows = kept.rows.map((row) => Object.fromEntries(row.map((value, place) => [names[place], value])));
    const chosen = at && new Set(model.named(at).map((number) => model.labels[number]));
    if (chosen) rows = rows.filter((row) => chosen.has(row.condition));
    /** @type {Record<string, number>} */
    const seen = {};
    if (top) rows = rows.filter(({ condition }) => (seen[condition] = (seen[condition] ?? 0) + 1) <= top);
    const notes = chosen ? [] : kept.notes;
    return { rows, title: kept.title, notes, facts: kept.facts, signature: kept.signature ?? about.signature };
  }

  /** @param {string} name @param {Record<string, any>} params @param {AbortSignal} [signal] nobody waits any more */
  async function answer(name, params, signal) {
    if (name === "about") return about;
    if (name === "questions") return manifest.questions;
    if (name === "words") return lookup.find(String(params.query ?? ""), Number(params.limit ?? 10));
    const question = questions.get(name);
    if (!question) return model.fail("bad_request", `there is no question '${name}'`);
    if (!question.available) model.fail("unavailable", question.reason);
    const asked = Object.fromEntries(question.parameters.map((one) => [one.name, read(one, params[one.name])]));
    if (Object.hasOwn(computed, name) && FILTERS.some((one) => asked[one] && asked[one] !== 1)) {
      model.fail("unavailable", `a folder cannot filter words; ${SERVER}`);
    }
    return Object.hasOwn(computed, name) ? computed[name]({ ...asked, signal }) : written(question, asked);
  }

  chronotope.engine = { answer };
}
