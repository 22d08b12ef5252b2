// From a paste to the records that explain it. Needs pattern.js and paste.js.
// A twin of generator/search.py and of `Words` in generator/shards.py, where the reasons stand;
// tests/test_search.py holds them together. Nothing that was pasted leaves the page.
(function () {
  "use strict";

  const pagefault = (globalThis.pagefault = globalThis.pagefault || {});

  // Words (lookup.py and shards.py).

  const PER_MESSAGE = 8;
  const RARE = 5;

  function tokens(text) {
    const found = text.match(/[A-Za-z0-9_\u0080-\u{10ffff}]{2,}/gu) || [];
    return found.map((word) => word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()));
  }

  function safeTokens(segments) {
    const found = [];
    segments.forEach(function (segment, number) {
      if (typeof segment === "number") return;
      for (const match of segment.matchAll(/[A-Za-z0-9_\u0080-\u{10ffff}]{2,}/gu)) {
        const isBefore = match.index === 0 && number > 0;
        const isAfter = match.index + match[0].length === segment.length && number < segments.length - 1;
        if (!isBefore && !isAfter) found.push(...tokens(match[0]));
      }
    });
    return found;
  }

  function size(text) {
    let count = 0;
    for (const _ of text) count += 1;
    return count;
  }

  // By code points, as Python compares texts; JavaScript's own order is by halves of them.
  function compareTexts(one, other) {
    const [a, b] = [Array.from(one), Array.from(other)];
    for (let at = 0; at < a.length && at < b.length; at += 1) {
      if (a[at] !== b[at]) return a[at].codePointAt(0) - b[at].codePointAt(0);
    }
    return a.length - b.length;
  }

  function compare(one, other) {
    for (let at = 0; at < one.length; at += 1) {
      const order = typeof one[at] === "string" ? compareTexts(one[at], other[at]) : one[at] - other[at];
      if (order !== 0) return order;
    }
    return 0;
  }

  function fnv(word) {
    let state = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(word)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
    return state;
  }

  function makeWords(meta) {
    const groups = new Map();
    meta.common.forEach(function (group, number) {
      for (const word of group.split(" ")) groups.set(word, meta.common.length - number);
    });
    const digits = (meta.shards - 1).toString(16).length;

    function shard(word) {
      return (fnv(word) % meta.shards).toString(16).padStart(digits, "0");
    }

    function weight(words) {
      return words.reduce((sum, word) => sum + (groups.has(word) ? 1 : 2), 0);
    }

    function shardsOf(message) {
      const spoken = [...new Set(tokens(message))]
        .map((word) => [groups.get(word) ?? 0, Number(/[0-9]/.test(word)), -size(word), word])
        .sort(compare);
      const rare = spoken.filter(([group]) => group === 0);
      const listed = spoken.filter(([group]) => group !== 0);
      const free = Math.max(PER_MESSAGE - RARE, PER_MESSAGE - rare.length);
      const codes = rare.filter(([, , , word]) => codeWord(word) !== null).slice(0, 1);
      const chosen = new Set([...codes, ...rare.slice(0, RARE), ...listed.slice(0, free), ...rare.slice(RARE)]);
      const names = [...chosen].slice(0, PER_MESSAGE).map(([, , , word]) => shard(word));
      if (meta.hasLoose) names.push(shard(""));
      return [...new Set(names)];
    }

    return { weight, shardsOf };
  }

  function codeWord(code) {
    return /^[A-Za-z]{1,20}[0-9]{2,9}$/.test(code ?? "") ? tokens(code)[0] : null;
  }

  // Answers (search.py).

  const SHARDS = 17;
  const MATCHES = 10;
  const NEAR_READINGS = 16;
  const NEAR = 0.7;
  const NEAR_WORDS = 3;
  const CUT_CHARACTERS = 12;
  const CUT_WORDS = 2;
  const WEAK = 16;

  function makeShelf(load) {
    const names = new Set();
    const entries = new Map();
    const shelf = {
      entries,
      words: null,
      async fetch(message) {
        if (names.size >= SHARDS) return;
        if (shelf.words === null) shelf.words = makeWords(await load("meta"));
        const wanted = shelf.words.shardsOf(message).filter((name) => !names.has(name));
        wanted.length = Math.min(wanted.length, SHARDS - names.size);
        wanted.forEach((name) => names.add(name));
        for (const shard of await Promise.all(wanted.map(load))) {
          for (const entry of shard.entries ?? []) {
            if (entries.has(entry.id)) continue;
            const texts = entry.segments.filter((segment) => typeof segment === "string");
            const fixed = texts.reduce((sum, text) => sum + size(text), 0);
            const words = texts.reduce((sum, text) => sum + tokens(text).length, 0);
            entries.set(entry.id, { entry, fixed, isWeak: fixed < WEAK || words < CUT_WORDS });
          }
        }
      },
    };
    return shelf;
  }

  function lastName(text) {
    return text.slice(text.lastIndexOf(".") + 1);
  }

  function likeness(entry, reading) {
    if (reading.errorClass === null) return 1;
    return lastName(entry.errorClass) === lastName(reading.errorClass) ? 2 : 0;
  }

  function nearness(entry, frame) {
    const theirs = frame.file.replaceAll("\\", "/").split("/").reverse();
    const ours = entry.file.split("/").reverse();
    let shared = 0;
    while (shared < Math.min(theirs.length, ours.length, 9) && theirs[shared] === ours[shared]) shared += 1;
    if (shared === 0) return 0;
    const isFunction = lastName(entry.function ?? "") === lastName(frame.function ?? "");
    return 4 * shared + 2 * Number(frame.line === entry.line) + Number(isFunction);
  }

  function isPossible(entry, frames) {
    if (entry.kind !== "site" || frames.length === 0) return true;
    return frames.some((frame) => nearness(entry, frame) > 0);
  }

  function rank(entry, fixed, reading) {
    const frames = reading.frames.map((frame) => nearness(entry, frame));
    return [-likeness(entry, reading), -Math.max(0, ...frames), -fixed];
  }

  function nameOf(entry) {
    return [Number(entry.isRemoved ?? false), entry.repo, entry.slug ?? "", entry.id];
  }

  // A near match if there are no values.
  function makeMatch({ entry, isWeak }, reading, values, isCut) {
    const isSite = entry.kind === "site";
    return {
      match: values === null ? "near" : isSite ? "site" : "exact",
      id: entry.id,
      repo: entry.repo,
      slug: entry.slug ?? null,
      errorClass: entry.errorClass,
      message: reading.message,
      // Not by assignment: a hole may be called `__proto__`.
      values: Object.fromEntries((values ?? []).map((value, number) => [entry.holes[number], value])),
      url: isSite ? null : entry.repo + "/" + entry.slug + "/index.html",
      segments: entry.segments,
      holes: entry.holes,
      file: entry.file,
      line: entry.line,
      function: entry.function ?? null,
      standing: entry.standing ?? null,
      isRemoved: entry.isRemoved ?? false,
      isCut,
      isWeak,
    };
  }

  function makeQuery(reading) {
    const frame = reading.frames[reading.frames.length - 1] ?? { file: null, line: null, function: null };
    return {
      errorClass: reading.errorClass,
      message: reading.message,
      file: frame.file,
      line: frame.line,
      function: frame.function,
    };
  }

  // How many fixed characters of a pattern a message holds that is cut off, or null.
  function beginning(segments, message) {
    let fixed = 0;
    let spoken = 0;
    let position = 0;
    let isOpen = false; // whether a hole has no end yet
    let isWhole = true;
    for (const segment of segments) {
      if (typeof segment === "number") {
        isOpen = true;
        if (segment === 0) continue;
        if (position >= message.length) return null;
        position += message.codePointAt(position) > 0xffff ? 2 : 1;
        continue;
      }
      const start = isOpen ? message.indexOf(segment, position) : position;
      if (isOpen && start < 0) {
        isWhole = false;
        break;
      }
      const held = isOpen || message.startsWith(segment, position) ? segment : message.slice(position);
      if (!segment.startsWith(held)) return null;
      fixed += size(held);
      spoken += tokens(held).length;
      isOpen = false;
      position = start + held.length;
      if (held !== segment) {
        isWhole = false;
        break;
      }
    }
    if (isWhole && !isOpen && position < message.length) return null;
    return fixed >= CUT_CHARACTERS && spoken >= CUT_WORDS ? fixed : null;
  }

  function uncut(message) {
    if (message.endsWith("...")) message = message.slice(0, -3);
    let end = message.endsWith("…") ? message.length - 1 : message.length;
    while (end > 0 && message[end - 1] === " ") end -= 1;
    return message.slice(0, end);
  }

  // Of a place without a record it is worth a word only that it raised this very error.
  function documented(shelf) {
    return [...shelf.entries.values()].filter(({ entry }) => entry.kind !== "site");
  }

  function cutMatches(readings, shelf) {
    const found = new Map();
    for (const reading of readings) {
      if (!reading.isCut) continue;
      const message = uncut(reading.message);
      for (const known of documented(shelf)) {
        const { entry } = known;
        const fixed = found.has(entry.id) ? null : beginning(entry.segments, message);
        if (fixed === null) continue;
        const order = [...rank(entry, fixed, reading), ...nameOf(entry)];
        found.set(entry.id, { order, match: makeMatch(known, reading, null, true) });
      }
    }
    return found;
  }

  function nearMatches(readings, shelf) {
    const found = new Map();
    const patterns = documented(shelf).map((known) => ({
      known,
      wanted: [...new Set(safeTokens(known.entry.segments))],
      code: codeWord(known.entry.errorCode),
    }));
    for (const reading of readings.slice(0, NEAR_READINGS)) {
      const spoken = new Set(tokens(reading.message));
      for (const { known, wanted, code } of patterns) {
        const { entry } = known;
        const held = wanted.filter((word) => spoken.has(word));
        const share = wanted.length > 0 ? shelf.words.weight(held) / shelf.words.weight(wanted) : 0;
        const isNamed = spoken.has(code);
        if (found.has(entry.id) || (!isNamed && (held.length < NEAR_WORDS || share < NEAR))) continue;
        const order = [Number(!isNamed), -share, ...rank(entry, held.length, reading), ...nameOf(entry)];
        found.set(entry.id, { order, match: makeMatch(known, reading, null, false) });
      }
    }
    return found;
  }

  // load: a promise of `meta` or of a shard by its name. Resolves to { query, matches }, as documented in search.py.
  pagefault.search = async function (text, load) {
    const readings = pagefault.spoken(text);
    if (readings.length === 0) return { query: null, matches: [] };
    const shelf = makeShelf(load);
    const frames = readings.flatMap((reading) => reading.frames);
    const exact = new Map();
    const others = new Map(); // whose message it is, and whose class it is not
    let last = null; // the error after which nothing is looked for
    for (const reading of readings) {
      if (last !== null && reading.head !== last) break;
      await shelf.fetch(reading.message);
      for (const known of shelf.entries.values()) {
        const { entry, fixed, isWeak } = known;
        // Without its class, a message of another class would pass for this one's.
        if (exact.has(entry.id) || (others.has(entry.id) && !reading.isSure)) continue;
        if (!isPossible(entry, frames)) continue;
        const values = pagefault.captures(entry.segments, reading.message);
        if (values === null) continue;
        const isSite = entry.kind === "site";
        const told = [Number(isSite), Number(isWeak)];
        const order = [...told, ...rank(entry, fixed, reading), values.length, ...nameOf(entry)];
        if (reading.isSure && likeness(entry, reading) === 0) {
          if (!isSite && !others.has(entry.id)) others.set(entry.id, { order, match: makeMatch(known, reading, null, false) });
          continue;
        }
        exact.set(entry.id, { order, match: makeMatch(known, reading, values, false) });
        if (!isWeak) last = reading.head;
      }
    }
    let best = exact;
    if (best.size === 0) best = others;
    if (best.size === 0) best = cutMatches(readings, shelf);
    if (best.size === 0) best = nearMatches(readings, shelf);
    const ranked = [...best.values()].sort((one, other) => compare(one.order, other.order));
    return { query: makeQuery(readings[0]), matches: ranked.slice(0, MATCHES).map(({ match }) => match) };
  };

  // Files of the index, as scripts: a page opened from a folder cannot fetch.

  const asked = new Map();
  const waiting = new Map();

  // Called by the scripts below `lookup/`.
  pagefault.register = function (name, text) {
    const resolve = waiting.get(name);
    waiting.delete(name);
    if (resolve !== undefined) resolve(JSON.parse(text));
  };

  // root: what leads from the page to the site's root, such as "../../../". Each file is loaded once.
  pagefault.loader = function (root) {
    return function (name) {
      if (!asked.has(name)) {
        const answer = new Promise(function (resolve, reject) {
          const script = document.createElement("script");
          waiting.set(name, resolve);
          script.src = root + "lookup/" + name + ".js";
          script.onload = script.onerror = function () {
            script.remove();
            // Registered is what arrived; the next look-up may ask again for what did not.
            if (!waiting.delete(name)) return;
            asked.delete(name);
            reject(new Error("could not load " + script.src));
          };
          document.head.append(script);
        });
        asked.set(name, answer);
      }
      return asked.get(name);
    };
  };
})();
