// The page's only door to data: chronotope.source.get(name, params) → Promise of an answer.
//
// With a server the question goes to /api/<name>; in a static folder the engine, loaded before this file, answers it.
// The answer is the same object either way.
"use strict";

window.chronotope = window.chronotope || {};

(function (chronotope) {
  const KEPT = 200;
  const kept = new Map(); // address → answer, the one used last at the end
  const asking = new Map(); // address → {promise, controller, waiting}

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
    for (const key of Object.keys(params).sort()) {
      const values = Array.isArray(params[key]) ? params[key] : [params[key]];
      for (const value of values) {
        if (value !== undefined && value !== null) query.append(key, String(value));
      }
    }
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
    const data = await response.json().catch(() => null);
    if (response.ok && data !== null) return data;
    const told = (data && data.error) || { kind: "internal", message: "The explorer gave no answer." };
    throw new AnswerError(told.kind, told.message, response.status, told.did_you_mean || []);
  }

  // Python counts characters, JavaScript counts units of UTF-16: past an emoji the two differ.
  function inUnits(text, span) {
    if (!/[\ud800-\udbff]/.test(text)) return span;
    const starts = [0];
    for (const character of text) starts.push(starts[starts.length - 1] + character.length);
    return span.map((place) => starts[Math.min(place, starts.length - 1)]);
  }

  function withUnits(example) {
    const [start, end] = inUnits(example.text, [example.start, example.end]);
    return { ...example, start, end, near: example.near && inUnits(example.text, example.near) };
  }

  function remember(where, answer) {
    kept.set(where, answer);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  }

  async function ask(name, params, where, signal) {
    const engine = chronotope.engine;
    let answer = await (engine ? engine.answer(name, params, signal) : fromServer(where, signal));
    if (name === "evidence") answer = { ...answer, examples: answer.examples.map(withUnits) };
    remember(where, answer);
    return answer;
  }

  // A question that is asked twice at the same time goes out once.
  function sharing(name, params, where) {
    if (!asking.has(where)) {
      const controller = new AbortController();
      const promise = ask(name, params, where, controller.signal).finally(() => forget(where, promise));
      asking.set(where, { promise, controller, waiting: 0 });
    }
    return asking.get(where);
  }

  function forget(where, promise) {
    if (asking.has(where) && asking.get(where).promise === promise) asking.delete(where);
  }

  // A request is given up when all who wait for its answer have done so.
  function awaited(where, question, signal) {
    question.waiting++;
    if (!signal) return question.promise;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        question.waiting--;
        if (question.waiting === 0) {
          forget(where, question.promise);
          question.controller.abort();
        }
        reject(new DOMException("given up", "AbortError"));
      };
      signal.addEventListener("abort", giveUp, { once: true });
      question.promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
    });
  }

  function get(name, params = {}, { signal } = {}) {
    if (signal && signal.aborted) return Promise.reject(new DOMException("given up", "AbortError"));
    const where = address(name, params);
    if (kept.has(where)) {
      const answer = kept.get(where);
      kept.delete(where);
      kept.set(where, answer);
      return Promise.resolve(answer);
    }
    return awaited(where, sharing(name, params, where), signal);
  }

  chronotope.AnswerError = AnswerError;
  chronotope.source = { get, static: Boolean(chronotope.engine) };
})(window.chronotope);
