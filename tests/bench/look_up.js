// Looks every paste up with the browser's scripts; what was found first, and how long each took.
// Arguments: the folder of scripts. Input: {pastes, index}.
"use strict";
const fs = require("fs");
const vm = require("vm");
for (const name of ["pattern.js", "paste.js", "search.js"]) {
  vm.runInThisContext(fs.readFileSync(`${process.argv[2]}/${name}`, "utf8"), name);
}
const { pastes, index } = JSON.parse(fs.readFileSync(0, "utf8"));
(async function () {
  const found = [];
  for (const paste of pastes) {
    const start = performance.now();
    const answer = await pagefault.search(paste, async (name) => JSON.parse(index[name]));
    found.push({ ids: answer.matches.map((one) => one.id), ms: performance.now() - start });
  }
  process.stdout.write(JSON.stringify(found));
})();
