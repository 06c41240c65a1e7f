// The page's only access to data: ct.source.get(name, params) returns a promise of the answer.
// With a server, the question goes to /api/NAME; in a static folder, the engine gives the same answer.
"use strict";

window.chronotope = window.chronotope || {};
{
  const KEPT = 200;
  /** @type {Map<string, {promise: Promise<any>, controller: AbortController, waiting: number}>} by address, the last used at the end */
  const questions = new Map();

  class AnswerError extends Error {
    constructor(kind, message, status = 0, didYouMean = []) {
      super(message);
      this.name = "AnswerError";
      this.kind = kind;
      this.status = status;
      this.didYouMean = didYouMean;
    }
  }

  function address(name, params) {
    const query = new URLSearchParams();
    for (const key of Object.keys(params).sort())
      for (const value of [params[key]].flat())
        if (value !== undefined && value !== null) query.append(key, String(value));
    const text = query.toString();
    return text ? `${name}?${text}` : name;
  }

  async function fromServer(where, signal) {
    let response;
    try {
      response = await fetch(`api/${where}`, { headers: { accept: "application/json" }, signal });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new AnswerError("offline", "The explorer does not answer. Is it still running?");
    }
    const data = await response.json().catch(() => /** @type {any} */ (null));
    if (response.ok && data !== null) return data;
    const { kind, message, did_you_mean } = (data && data.error) || { kind: "internal", message: "The explorer gave no answer." };
    throw new AnswerError(kind, message, response.status, did_you_mean || []);
  }

  /** Python counts characters, JavaScript counts UTF-16 units: they differ after an emoji. */
  function withUnits(row) {
    if (!/[\ud800-\udbff]/.test(row.text)) return row;
    const starts = [0];
    for (const character of row.text) starts.push(starts[starts.length - 1] + character.length);
    const units = Object.fromEntries(
      ["start", "end", "near_start", "near_end"].map((name) => [name, row[name] == null ? null : starts[row[name]]]),
    );
    return { ...row, ...units };
  }

  async function answered(name, params, where, signal) {
    const { engine } = window.chronotope;
    // The engine blocks this thread: first the page is painted.
    if (engine) await ct.painted();
    const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null));
    const answer = await (engine ? engine.answer(name, given, signal) : fromServer(where, signal));
    return name === "evidence" ? { ...answer, rows: answer.rows.map(withUnits) } : answer;
  }

  function ask(name, params, where) {
    const controller = new AbortController();
    const question = { promise: answered(name, params, where, controller.signal), controller, waiting: 0 };
    question.promise.catch(() => forget(where, question));
    return question;
  }

  function forget(where, question) {
    if (questions.get(where) === question) questions.delete(where);
  }

  /** An answer is asked for once and kept; the question is aborted when no caller waits for it any more. */
  function get(name, params = {}, signal = undefined) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const where = address(name, params);
    const question = questions.get(where) || ask(name, params, where);
    questions.delete(where);
    questions.set(where, question);
    if (questions.size > KEPT) questions.delete(questions.keys().next().value);
    question.waiting++;
    if (!signal) return question.promise;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        question.waiting--;
        if (question.waiting === 0) {
          forget(where, question);
          question.controller.abort();
        }
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      question.promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
    });
  }

  ct.ask = (question, params, signal) => ({ question, params, answer: ct.source.get(question, params, signal) });

  window.chronotope.AnswerError = AnswerError;
  ct.source = { get, address, static: Boolean(window.chronotope.engine) };
  /** Milliseconds until a question shows as busy; 0 in a static folder, whose engine blocks the page. */
  ct.LATE = ct.source.static ? 0 : 280;
}
