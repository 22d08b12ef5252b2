// The same queries for Pagefind's own script, with a host that reads its folder.
// Arguments: the folder of the site, how many queries are asked cold. Input: {queries}.
// Output: {found: [{ids, ms}], cold: [{bytes, requests}]}.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { pathToFileURL } from "node:url";
const [, , site, cold] = process.argv;
const { queries } = JSON.parse(fs.readFileSync(0, "utf8"));
const script = path.join(site, "pagefind", "pagefind.mjs");
fs.copyFileSync(path.join(site, "pagefind", "pagefind.js"), script);
globalThis.window = globalThis;
globalThis.location = { href: "http://localhost/", origin: "http://localhost" };
globalThis.document = { querySelector: () => ({ getAttribute: () => "en" }), addEventListener() {} };
let bytes = 0;
let requests = 0;
globalThis.fetch = async function (address) {
  const name = String(address).replace(/^https?:\/\/[^/]+/, "").replace(/\?.*$/, "");
  const data = fs.readFileSync(path.join(site, name));
  bytes += Math.min(data.length, zlib.gzipSync(data).length);
  requests += 1;
  return new Response(data);
};
async function fresh(number) {
  const engine = await import(`${pathToFileURL(script)}?${number}`);
  await engine.options({ basePath: "/pagefind/", baseUrl: "/" });
  return engine;
}
async function ask(engine, query) {
  const start = performance.now();
  const answer = await engine.search(query);
  const pages = await Promise.all(answer.results.slice(0, 10).map((one) => one.data()));
  return { ids: pages.map((one) => path.basename(one.url, ".html")), ms: performance.now() - start };
}
const colds = [];
for (const query of queries.slice(0, Number(cold))) {
  bytes = zlib.gzipSync(fs.readFileSync(script)).length;
  requests = 1;
  await ask(await fresh(colds.length), query);
  colds.push({ bytes, requests });
}
const engine = await fresh("warm");
const found = [];
for (const query of queries) found.push(await ask(engine, query));
// Its workers would keep this process; a pipe takes what is written in pieces.
process.stdout.write(JSON.stringify({ found, cold: colds }), () => process.exit(0));
