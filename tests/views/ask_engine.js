// Asks a static explorer without a browser: node ask_engine.js FOLDER < questions.json > answers.json
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = process.argv[2];
const window = { console, setTimeout, DOMException, AbortController, atob, Blob, DecompressionStream, Response };
window.window = window;
const context = vm.createContext(window);
const run = (file) => vm.runInContext(fs.readFileSync(path.join(folder, file), "utf8"), context, { filename: file });

const page = fs.readFileSync(path.join(folder, "index.html"), "utf8");
const scripts = [...page.matchAll(/<script src="([^"]+)"/g)].map((found) => found[1]);
scripts.filter((script) => /^(engine|data)\//.test(script)).forEach(run);
window.chronotope.loadPart = (name) => run(`data/${name}.js`);
window.chronotope.AnswerError = class extends Error {
  constructor(kind, message, status, did_you_mean) {
    super(message);
    this.told = { kind, message, status, did_you_mean };
  }
};

async function main() {
  const answers = [];
  for (const [name, params] of JSON.parse(fs.readFileSync(0, "utf8"))) {
    try {
      answers.push(await window.chronotope.engine.answer(name, params));
    } catch (error) {
      if (!error.told) throw error;
      answers.push({ error: error.told });
    }
  }
  fs.writeSync(1, JSON.stringify(answers));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
