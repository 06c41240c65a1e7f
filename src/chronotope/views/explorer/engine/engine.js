// Answers the questions of the page in the browser, as the server would (see api.py).
"use strict";

(function (chronotope) {
  const lib = chronotope.lib;
  const { model, meaning, changes, plane, places, sentences, lookup } = lib;
  const LONGEST = { word: 200, query: 100, formula: 500 };
  const MOST = 50;
  const MOST_WORDS = 5;

  const whole = (usual, least = 1, most = MOST) => (value, name) => {
    const number = value === undefined ? usual : Number(value);
    if (!Number.isInteger(number) || number < least || number > most) {
      model.fail("bad_request", `${name}: a whole number from ${least} to ${most} is needed`);
    }
    return number;
  };
  const text = (usual) => (value, name) => {
    if (value === undefined && usual === undefined) model.fail("bad_request", `${name}: it is needed`);
    const given = value === undefined ? usual : String(value);
    if (given !== null && given.length > (LONGEST[name] || LONGEST.word)) {
      model.fail("bad_request", `${name}: it is too long`);
    }
    return given === null ? undefined : given;
  };
  const oneOf = (...allowed) => (value, name) => {
    const given = value === undefined ? allowed[0] : String(value);
    if (!allowed.includes(given)) model.fail("bad_request", `${name}: one of ${allowed.join(", ")}`);
    return given;
  };
  const several = (value, name) => {
    const given = (Array.isArray(value) ? value : [value]).map((one) => text()(one, name));
    if (given.length > MOST_WORDS) model.fail("bad_request", `${name}: at most ${MOST_WORDS}`);
    return given;
  };
  const flag = (value) => value === true || value === "true";
  const share = (value, name) => {
    const given = value === undefined ? 0.05 : Number(value);
    if (!(given > 0 && given <= 1)) model.fail("bad_request", `${name}: above 0 and at most 1`);
    return given;
  };
  const [word, at, optional] = [text(), text(), text(null)];
  const enough = whole(5, 1, 1e6);

  const unavailable = (what) => async () => model.fail("unavailable", model.about.missing[what]);
  const start = async ({ top }) => {
    const { starts } = await lib.load("answers");
    if (starts.error) model.fail("unavailable", starts.error);
    const { changed, stable } = starts;
    return {
      ...starts,
      changed: { ...changed, rows: changed.rows.slice(0, top) },
      stable: { ...stable, most: stable.most.slice(0, top), least: stable.least.slice(0, top) },
    };
  };

  // For each question what it takes, and who answers it.
  const questions = {
    about: [{}, async () => model.about],
    words: [{ query: text(""), limit: whole(10) }, async ({ query, limit }) => lookup.find(query, limit)],
    starts: [{ top: whole(20) }, start],
    neighbors: [
      { word, at: optional, place: optional, top: whole(10), min_count: enough, retrieval: oneOf("cosine", "csls") },
      meaning.neighbors,
    ],
    ranks: [{ word, place: optional, top: whole(5), min_count: enough }, meaning.ranks],
    company: [{ word, top: whole(4), limit: whole(12), min_count: enough }, meaning.company],
    series: [{ word, against: text("first"), place: optional, min_count: enough }, meaning.series],
    similarity: [{ word, place: optional, min_count: enough }, meaning.similarity],
    changepoints: [
      { word, place: optional, min_count: enough },
      async (asked) => {
        if (!model.about.times.length) model.fail("unavailable", "the conditions of this model are places alone; this needs times");
        return changes.changepoints(asked);
      },
    ],
    trajectory: [{ word, method: oneOf("lle", "pca"), min_count: enough }, plane.trajectory],
    map: [{ word, formula: optional, min_count: enough }, places.map],
    places: [{ min_count: whole(10, 1, 1e6) }, places.places],
    grid: [{ word, formula: optional, min_count: enough }, places.grid],
    everywhere: [{ word, at, top: whole(3), chance: share, min_count: enough }, meaning.everywhere],
    equivalents: [
      { word, at, to: text(), top: whole(10), min_count: enough, retrieval: oneOf("csls", "cosine") },
      meaning.equivalents,
    ],
    compare: [{ word: several, against: text("first"), place: optional, min_count: enough }, meaning.compare],
    axis: [{ word: several, formula: text(), fixed: flag, min_count: enough }, meaning.axis],
    frequency: [{ word: several }, unavailable("counts")],
    collocates: [{ word }, unavailable("counts")],
    evidence: [
      { word, at: optional, near: optional, offset: whole(0, 0, 50), limit: whole(10) },
      sentences.evidence,
    ],
  };

  // `signal` says when nobody waits for the answer any more.
  async function answer(name, params, signal) {
    if (!Object.hasOwn(questions, name)) model.fail("bad_request", `there is no question '${name}'`);
    const [takes, answered] = questions[name];
    const asked = { signal };
    for (const [key, read] of Object.entries(takes)) {
      const given = params[key] === null ? undefined : params[key];
      asked[key] = read(given, key);
    }
    return answered(asked);
  }

  chronotope.engine = { answer };
})(window.chronotope);
