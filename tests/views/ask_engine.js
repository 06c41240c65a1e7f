// Asks a static explorer without a browser: node ask_engine.js FOLDER < questions.json > answers.json
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = process.argv[2];
const window = { setTimeout };
window.window = window;
const context = vm.createContext(Object.assign(window, { console, setTimeout, URLSearchParams, DOMException, AbortController, fetch: undefined }));
const run = (file) => vm.runInContext(fs.readFileSync(path.join(folder, file), "utf8"), context, { filename: file });

const page = fs.readFileSync(path.join(folder, "index.html"), "utf8");
const scripts = [...page.matchAll(/<script src="([^"]+)"/g)].map((found) => found[1]);
scripts.filter((script) => /^(engine|data)\/|^source\.js$/.test(script)).forEach(run);
window.chronotope.loadPart = (name) => run(`data/${name}.js`);

async function main() {
  const answers = [];
  for (const [name, params] of JSON.parse(fs.readFileSync(0, "utf8"))) {
    const begin = performance.now();
    try {
      answers.push({ answer: await window.chronotope.source.get(name, params), ms: performance.now() - begin });
    } catch (error) {
      if (!error.kind) throw error;
      const { kind, message, status, didYouMean } = error;
      answers.push({ error: { kind, message, status, didYouMean } });
    }
  }
  fs.writeSync(1, JSON.stringify(answers));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
