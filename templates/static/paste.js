// What a paste says: the error messages in whatever a terminal, a log or a notebook printed.
// A twin of generator/terminal.py, frames.py and paste.py, function by function, where the reasons stand;
// tests/test_paste.py holds them together. Every regular expression here is linear.
(function () {
  "use strict";

  const pagefault = (globalThis.pagefault = globalThis.pagefault || {});

  // Printed text as lines (terminal.py).

  const FIRST = 200000;
  const LAST = 800000;
  const FIRST_LINES = 1000;
  const LAST_LINES = 5000;
  const LINE = 8000;
  const PREFIX = 200;
  const ESCAPED = "Traceback (most recent call last):\\n";
  const DOCKER = '{"log":"';
  const END = { text: "\0", isCut: false };
  const MEANINGS = { n: "\n", r: "\n", t: "\t", '"': '"', "'": "'", "\\": "\\", "/": "/", b: "", f: "" };

  function within(text, first, last) {
    while (first < last && " \t".includes(text[first])) first += 1;
    while (last > first && " \t".includes(text[last - 1])) last -= 1;
    return text.slice(first, last);
  }

  function strip(text) {
    return within(text, 0, text.length);
  }

  function stripStart(text, characters) {
    let at = 0;
    while (at < text.length && characters.includes(text[at])) at += 1;
    return text.slice(at);
  }

  function stripEnd(text, characters) {
    let at = text.length;
    while (at > 0 && characters.includes(text[at - 1])) at -= 1;
    return text.slice(0, at);
  }

  function without(text, suffix) {
    return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
  }

  function beginning(text, units) {
    const part = text.slice(0, units);
    return /[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part;
  }

  function ending(text, units) {
    const part = text.slice(-units);
    return /^[\udc00-\udfff]/.test(part) ? part.slice(1) : part;
  }

  function whole(text) {
    return text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) =>
      found.length === 2 ? found : "\ufffd",
    );
  }

  function clean(text) {
    if (text.includes("\x1b") || text.includes("^[[")) {
      text = text.replace(
        /\x1b(?:\[[0-?]*[ -/]*[@-~]?|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)|\^\[\[[0-9;]{0,20}m/g,
        "",
      );
    }
    return text
      .replace(/\r\n/g, "\n")
      .replace(/\r/g, "\n")
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]/g, "");
  }

  function unescaped(text, start, closer) {
    const stop = /[\\"'`]/g;
    const pieces = [];
    let position = start;
    for (;;) {
      stop.lastIndex = position;
      const found = stop.exec(text);
      if (found === null) break;
      const at = found.index;
      pieces.push(text.slice(position, at));
      if (found[0] === closer) return [pieces.join(""), at];
      position = at + 1;
      if (found[0] !== "\\") {
        pieces.push(found[0]);
        continue;
      }
      const letter = String.fromCodePoint(...(position < text.length ? [text.codePointAt(position)] : []));
      const length = letter === "u" ? 4 : letter === "x" ? 2 : 0;
      const digits = text.slice(position + 1, position + 1 + length);
      if (length > 0 && digits.length === length && /^[0-9a-fA-F]+$/.test(digits)) {
        pieces.push(String.fromCharCode(parseInt(digits, 16)));
        position += 1 + length;
      } else {
        pieces.push(Object.hasOwn(MEANINGS, letter) ? MEANINGS[letter] : "\\" + letter);
        position += letter.length;
      }
    }
    pieces.push(text.slice(position));
    return [pieces.join(""), -1];
  }

  function bounded(row) {
    const text = beginning(row, LINE);
    return { text, isCut: text.length < row.length };
  }

  function inner(text) {
    return without(clean(whole(text)), "\n").split("\n").slice(-LAST_LINES).map(bounded);
  }

  function unpacked(row) {
    if (row.startsWith(DOCKER)) return inner(unescaped(row, DOCKER.length, '"')[0]);
    const at = row.indexOf(ESCAPED);
    if (at < 0) return [bounded(row)];
    const opener = at > 0 && "\"'".includes(row[at - 1]) ? row[at - 1] : "";
    const [inside, end] = unescaped(row, at, opener);
    const around = row.slice(0, at) + (end >= 0 ? row.slice(end) : "");
    return [bounded(around), END, ...inner(inside), END];
  }

  function unquoted(lines) {
    const kept = lines.filter(({ text }) => {
      const rest = stripStart(text, " >");
      return !rest.startsWith("```") && !rest.startsWith("~~~");
    });
    if (!kept.every((line) => line === END || line.text === "" || line.text[0] === ">")) return kept;
    return kept.map((line) => {
      if (line === END) return line;
      const text = line.text.slice(1);
      return { text: text.startsWith(" ") ? text.slice(1) : text, isCut: line.isCut };
    });
  }

  function ends(rows, between) {
    if (rows.length <= FIRST_LINES + LAST_LINES) return rows;
    return [...rows.slice(0, FIRST_LINES), between, ...rows.slice(-LAST_LINES)];
  }

  function textLines(text) {
    text = whole(text);
    const isLong = text.length > FIRST + LAST;
    const parts = isLong ? [beginning(text, FIRST), ending(text, LAST)] : [text];
    const lines = [];
    for (const part of parts) {
      if (lines.length > 0) lines.push({ text: lines.pop().text, isCut: true }, END);
      for (const row of ends(clean(part).split("\n"), END.text)) {
        for (const line of row === END.text ? [END] : unpacked(row)) lines.push(line);
      }
    }
    return unquoted(ends(lines, END));
  }

  function shape(prefix) {
    return beginning(prefix, PREFIX) === prefix ? prefix.replace(/[0-9]+/g, "0") : "";
  }

  function isDigit(character) {
    return character !== undefined && character >= "0" && character <= "9";
  }

  function restAfter(text, form) {
    let at = 0;
    for (let number = 0; number < form.length; number += 1) {
      if (at >= text.length && stripStart(form.slice(number), " ") === "") return "";
      if (form[number] === "0") {
        let end = at;
        while (isDigit(text[end])) end += 1;
        if (end === at) return null;
        at = end;
      } else if (text[at] === form[number]) at += 1;
      else return null;
    }
    return text.slice(at);
  }

  // Frames (frames.py).

  const HEIGHT = 300;
  const FRAMES = 12;
  const PLACES = 24;
  const TRACEBACK = "Traceback (most recent call last)";
  const AROUND = ["--", "[...", "Cell ", "File "];

  function makeFrame(path, rest) {
    const digits = /^[0-9]{1,9}/.exec(rest);
    if (path === "" || digits === null) return null;
    const at = rest.indexOf(", in ");
    const name = at < 0 ? "" : strip(rest.slice(at + 5).split("(", 1)[0]);
    return { file: path, line: Number(digits[0]), function: name === "" ? null : name };
  }

  function parse(text) {
    if (text.startsWith('File "')) {
      const end = text.indexOf('", line ');
      return end < 0 ? null : makeFrame(text.slice(6, end), text.slice(end + 8));
    }
    if (text.startsWith("File ")) {
      const end = text.indexOf(", in ");
      const place = text.slice(5, end < 0 ? text.length : Math.max(end, 5));
      const colon = place.lastIndexOf(":");
      const number = place.slice(colon + 1) + (end < 0 ? "" : text.slice(end));
      return makeFrame(colon < 0 ? "" : place.slice(0, colon), number);
    }
    if (text.startsWith("Cell In")) {
      const at = text.indexOf(", line ");
      return at < 0 ? null : makeFrame(text.slice(0, at), text.slice(at + 7));
    }
    const end = text.indexOf(".py:");
    if (end > 0 && !text.slice(0, end).includes(" ")) {
      return makeFrame(text.slice(0, end + 3), text.slice(end + 4).replace(": in ", ", in "));
    }
    return null;
  }

  // The frames, or null where there is no traceback; and how many lines that took.
  function framesAbove(lines, index, form) {
    const found = [];
    let isTraceback = false;
    let blanks = 0;
    let used = 0;
    for (let number = index - 1; number >= Math.max(0, index - HEIGHT); number -= 1) {
      used += 1;
      const line = lines[number];
      const text = form === "" ? line.text : restAfter(line.text, form);
      if (text === null || line === END) {
        isTraceback = line.text.includes(TRACEBACK) && found.length > 0;
        break;
      }
      if (text.includes(TRACEBACK)) {
        isTraceback = true;
        break;
      }
      const stripped = strip(text);
      const frame = parse(stripped);
      if (frame !== null) {
        found.push(frame);
        if (found.length === FRAMES) break;
        blanks = 0;
      } else if (stripped === "") {
        blanks += 1;
        if (blanks > 2) break;
      } else if (!" \t0123456789".includes(text[0]) && !AROUND.some((one) => text.startsWith(one))) break;
    }
    return [found.length > 0 || isTraceback ? found.reverse() : null, used];
  }

  function location(lines, index) {
    for (const { text } of lines.slice(index + 1, index + PLACES)) {
      const frame = text.startsWith("E ") ? null : parse(text);
      if (frame !== null) return [frame];
    }
    return [];
  }

  // Readings (paste.py).

  const HEADS = 16;
  const READINGS = 8;
  const BARE = 16;
  const BLOCK = 24;
  const NAME = 200;
  const COLONS = 40;
  const BOUNDARIES = 6;
  const QUOTED = 12;
  const STEPS = 5000;
  const ENDS = [
    TRACEBACK,
    "During handling of the above exception",
    "The above exception was the direct cause",
    "Exception Group Traceback",
    "FAILED ",
    "ERROR ",
    "```",
    ">>> ",
    "$ ",
  ];
  const QUOTES = "\"'`";

  function isName(text) {
    return (
      text.length > 0 &&
      text.length <= NAME &&
      text.split(".").every((part) => /^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/.test(part))
    );
  }

  function kindOf(name) {
    const last = name.slice(name.lastIndexOf(".") + 1);
    const hasModule = last !== name;
    const isNamed =
      /^[A-Z\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Timeout|Group|Failure|Fault|NotFound|Missing)$/;
    if (isNamed.test(last) || (hasModule && (last === "error" || last === "timeout"))) return 2;
    return /^[A-Z][a-z0-9]+[A-Z]/.test(last) || (hasModule && last[0] >= "A" && last[0] <= "Z") ? 1 : 0;
  }

  function namesOf(text) {
    const found = [];
    let at = -1;
    for (let count = 0; count < COLONS; count += 1) {
      at = text.indexOf(":", at + 1);
      if (at < 0) break;
      if (at + 1 < text.length && text[at + 1] !== " ") continue;
      let start = at;
      while (start > 0 && at - start < NAME && /[A-Za-z0-9_.<>\u0080-\uffff]/.test(text[start - 1])) start -= 1;
      let name = text.slice(start, at).split(".<locals>.").join(".");
      const bracket = Math.max(name.lastIndexOf("<"), name.lastIndexOf(">"));
      if (bracket >= 0) {
        name = name.slice(bracket + 1);
        start = at - name.length;
      }
      if (isName(name)) found.push([start, name, at + 2]);
    }
    const bare = stripEnd(stripStart(text, " \t|"), " \t|");
    if (at < 0 && isName(bare)) found.push([text.indexOf(bare), bare, text.length + 1]);
    return found;
  }

  function marksOf(text) {
    return /^[ \t|>]*(?:E {3,})?/.exec(text)[0].length;
  }

  function headsOf(lines) {
    const tiers = [[], [], [], []];
    let steps = STEPS;
    for (let index = lines.length - 1; index >= 0; index -= 1) {
      const text = lines[index].text;
      if (!text.includes(":") && !isName(stripEnd(stripStart(text, " \t|"), " \t|"))) continue;
      const above = index > 0 ? lines[index - 1].text : "";
      let count = 0;
      for (const [start, name, begin] of namesOf(text)) {
        const kind = kindOf(name);
        const isFirst = start <= marksOf(text);
        const isBelow = (above[0] === " " || above[0] === "\t") && strip(above) !== "";
        if (kind === 0 && !(isFirst && isBelow)) continue;
        let frames = null;
        if (steps > 0) {
          const [found, used] = framesAbove(lines, index, shape(text.slice(0, start)));
          frames = found;
          steps -= used;
        }
        if (frames === null && (kind === 0 || begin > text.length)) continue;
        const tier = frames !== null ? 0 : kind < 2 ? 3 : isFirst ? 1 : 2;
        if (tier === 1 && stripStart(text.slice(0, start), " \t|>").startsWith("E ")) {
          frames = location(lines, index);
        }
        const isSure = kind === 2 || tier === 0;
        if (tiers[tier].length < HEADS) tiers[tier].push({ index, start, name, begin, frames: frames || [], isSure });
        count += 1;
        if (count === 2) break;
      }
      if (tiers[0].length >= HEADS) break;
    }
    return tiers.flat();
  }

  const BARE_HEAD = { name: null, frames: [], isSure: false };

  function asPrinted(message, isCut, head) {
    const stripped = stripEnd(message, " \t\n");
    const texts = message === stripped ? [stripped] : [message, stripped];
    return texts.map((text) => ({
      errorClass: head.name,
      message: text,
      frames: head.frames,
      isCut: isCut || stripped.endsWith("...") || stripped.endsWith("…"),
      isSure: head.isSure,
    }));
  }

  function isPlace(text) {
    const end = text.indexOf(".py:");
    return (end > 0 && !text.slice(0, end).includes(" ")) || stripStart(text, " ").startsWith('File "');
  }

  function isStamped(text) {
    return /^(?:\[?[0-9]{4}[-/][0-9]{2}|\[[0-9]{1,4}[-/:][0-9])/.test(text);
  }

  function isEnd(text) {
    return (
      ENDS.some((one) => text.startsWith(one)) ||
      /^(?:[ \t]*[|+]*[-=_~*#+]{4}|[ \t|]*\+-)/.test(text) ||
      isStamped(text) ||
      isPlace(text)
    );
  }

  function continuation(lines, head) {
    const prefix = lines[head.index].text.slice(0, head.start);
    const printed = stripStart(prefix, " ");
    if (printed.startsWith("FAILED ") || printed.startsWith("ERROR ")) return [];
    const form = shape(prefix);
    const near = [lines[head.index - 1], lines[head.index + 1]].filter((line) => line !== undefined);
    const isEach =
      form !== "" &&
      (stripStart(prefix, " |>").startsWith("E ") || near.some(({ text }) => restAfter(text, form) !== null));
    const found = [];
    for (const line of lines.slice(head.index + 1, head.index + BLOCK)) {
      const rest = form === "" ? null : restAfter(line.text, form);
      if (line === END || (form !== "" && (rest === null) === isEach)) break;
      const text = rest === null ? line.text : rest;
      if (isEnd(text)) break;
      found.push(text);
    }
    while (found.length > 0 && strip(found[found.length - 1]) === "") found.pop();
    return found;
  }

  function depthOf(text) {
    let depth = 0;
    for (const one of text) depth += "([{".includes(one) - ")]}".includes(one);
    return depth;
  }

  function sizesOf(block) {
    let likely = 1;
    let depth = depthOf(block[0]);
    while (likely < block.length && strip(block[likely]) !== "") {
      if (depth <= 0 && !" \t".includes(block[likely][0])) break;
      depth += depthOf(block[likely]);
      likely += 1;
    }
    const rest = [];
    for (let size = block.length; size > 0; size -= 1) if (size !== likely) rest.push(size);
    return [likely, ...rest.slice(0, 1), ...rest.slice(1).slice(-(READINGS - 2))];
  }

  function readingsOf(lines, head) {
    const text = lines[head.index].text;
    const found = [];
    const opener = head.start > 0 ? text[head.start - 1] : "";
    if (opener !== "" && QUOTES.includes(opener)) {
      const [inside, end] = unescaped(text, head.begin, opener);
      if (end >= 0) found.push(...asPrinted(inside, false, head));
    }
    const block = [text.slice(head.begin), ...continuation(lines, head)];
    const end = head.index + block.length;
    const isLast = lines.slice(end, end + BLOCK).every((line) => strip(line.text) === "");
    for (const size of sizesOf(block)) {
      const isCut = (isLast && size === block.length) || lines[head.index + size - 1].isCut;
      found.push(...asPrinted(block.slice(0, size).join("\n"), isCut, head));
    }
    return found;
  }

  function lineReadings(line, isLast) {
    const text = strip(line.text);
    const isCut = isLast || line.isCut;
    const found = [];
    const at = text.startsWith("::") ? text.indexOf("::", 2) : -1;
    if (at > 0) {
      const message = text.slice(at + 2).split("%0A", 1)[0].replaceAll("%25", "%");
      found.push(...asPrinted(message, false, BARE_HEAD));
    }
    let starts = [];
    const boundary = /: | - |\] |\| |\t|\) /g;
    for (let count = 0; count < BOUNDARIES && boundary.exec(text) !== null; count += 1) {
      starts.push(boundary.lastIndex);
    }
    const level = /^[A-Z]{4,8}:[A-Za-z0-9_.]{1,200}:/.exec(text);
    const command = /^##\[[a-z]{1,20}\]/.exec(text);
    if (marksOf(text) > 0) starts.push(marksOf(text));
    if (level !== null) starts.push(level[0].length);
    if (command !== null) starts.push(command[0].length);
    starts.sort((one, other) => one - other);
    const report = /^(?:[Ee]rror|ERROR|[Ww]arning|WARNING|[Ff]atal|FATAL|CRITICAL)(?![A-Za-z0-9_\u0080-\uffff])/;
    starts = isStamped(text) || report.test(text) ? [...starts.reverse(), 0] : [0, ...starts];
    for (const start of starts) {
      const rest = text.slice(start);
      if (start === 0 || rest.includes(" ")) found.push(...asPrinted(stripStart(rest, " \t"), isCut, BARE_HEAD));
    }
    for (const opener of QUOTES) {
      let at = text.indexOf(opener);
      for (let count = 0; at >= 0 && count < QUOTED; count += 1) {
        const [inside, end] = unescaped(text, at + 1, opener);
        if (end < 0) break;
        if (inside.includes(" ")) found.push(...asPrinted(inside, false, BARE_HEAD));
        at = text.indexOf(opener, opener === "'" ? end : end + 1);
      }
    }
    return found;
  }

  function bareReadings(lines, hasFrames) {
    const meant = [];
    lines.forEach(function (line, number) {
      if (line !== END && strip(line.text) !== "") meant.push(number);
    });
    if (meant.length === 0) return [];
    const found = [];
    const [first, last] = [meant[0], meant[meant.length - 1]];
    for (const index of meant.reverse()) {
      const words = lines[index].text.match(/[A-Za-z0-9_\u0080-\u{10ffff}]{2,}/gu);
      if (words === null || words.length < 2) continue;
      found.push(lineReadings(lines[index], index === last));
      if (found.length === BARE) break;
    }
    const block = lines.slice(first, Math.min(first + BLOCK, last) + 1).map((line) => line.text);
    if (!hasFrames && block.length > 1 && block.length <= BLOCK && !block.includes(END.text)) {
      found.push(
        sizesOf(block).flatMap((size) => {
          const message = stripStart(block.slice(0, size).join("\n"), " \t");
          return asPrinted(message, size === block.length, BARE_HEAD);
        }),
      );
    }
    return found;
  }

  // The readings of a text, best first: { errorClass, message, frames, isCut, isSure, head }.
  pagefault.spoken = function (text) {
    const lines = textLines(text);
    const heads = headsOf(lines);
    const errors = heads.map((head) => readingsOf(lines, head));
    errors.push(...bareReadings(lines, heads.some((head) => head.frames.length > 0)));
    const found = new Map();
    let number = 0;
    for (const readings of errors) {
      let isNew = false;
      for (const one of readings) {
        const key = (one.errorClass ?? "") + "\0" + one.message;
        if (found.has(key)) continue;
        found.set(key, { ...one, head: number });
        isNew = true;
      }
      if (isNew) number += 1;
    }
    return [...found.values()];
  };
})();
