// The same queries for minisearch: titles, classes and paths, any word, as its documentation begins.
// Input: {queries, documents}; output: {bytes, found: [{ids, ms}]}.
import fs from "node:fs";
import zlib from "node:zlib";
import MiniSearch from "minisearch";
const { queries, documents } = JSON.parse(fs.readFileSync(0, "utf8"));
const engine = new MiniSearch({ fields: ["title", "errorClass", "file"], storeFields: ["title"] });
engine.addAll(documents);
const found = queries.map(function (query) {
  const start = performance.now();
  const ids = engine.search(query).slice(0, 10).map((one) => one.id);
  return { ids, ms: performance.now() - start };
});
const bytes = zlib.gzipSync(JSON.stringify(engine)).length;
process.stdout.write(JSON.stringify({ bytes, found }));
