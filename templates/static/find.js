// The paste field and what it finds; on the page that stands where there is none, what its address may have meant.
// Needs pattern.js, paste.js and search.js. Everything pasted is shown as text.
"use strict";
(function () {
  const place = document.querySelector(".found");
  if (place === null) return;
  const form = document.querySelector(".paste");
  const field = document.getElementById("paste");
  const root = form?.dataset.root ?? place.dataset.root ?? "";
  const load = pagefault.loader(root);
  const LONGEST = 2000; // characters of a message in an address
  // Of which a tracker takes some 8,000 bytes: so many for a message, for its title, and for where it was raised.
  const ROOM = 5000;
  const SIDE_ROOM = 1000;
  const PAUSE = 150; // milliseconds without a key, after which it is looked for
  const STANDINGS = { proven: "proven by running it", read: "read, not run", unproven: "not proven" };
  let asked = 0;

  function make(name, content, style) {
    const one = document.createElement(name);
    if (style) one.className = style;
    one.append(...(Array.isArray(content) ? content : [content]));
    return one;
  }

  // A path that goes on in the next line after one of its parts, and not within them.
  function breakable(path) {
    return path.split(/(?<=[/_])/).flatMap((part, index) => (index ? [document.createElement("wbr"), part] : [part]));
  }

  // The reader's own message if the whole pattern fits it, else the record's with its holes.
  function shown(match) {
    const values = Object.values(match.values);
    let hole = 0;
    return match.segments.map(function (segment) {
      if (typeof segment === "string") return segment;
      const name = match.holes[hole];
      const value = match.values[name] ?? values[hole];
      hole += 1;
      return value === undefined || match.isCut || match.match === "near"
        ? make("var", `{${name}}`)
        : make("mark", value);
    });
  }

  function item(match) {
    const said = make("samp", shown(match));
    const notes = [match.errorClass, match.repo, breakable(`${match.file}:${match.line}`)].map((one) => make("span", one));
    const words = [];
    if (match.match === "near") words.push(make("span", match.isCut ? "begins like this" : "not the same", "badge near"));
    if (match.isWeak && match.match === "exact") words.push(make("span", "weak match", "badge near"));
    if (match.isRemoved) words.push(make("span", "removed", "badge"));
    if (match.standing) words.push(make("span", STANDINGS[match.standing] ?? match.standing, `badge ${match.standing}`));
    const line = make("p", [], "meta");
    for (const one of [...notes, ...words]) line.append(one, " ");
    if (match.match === "site") return make("li", [said, make("p", "It is raised there, and nobody has written its page."), line]);
    const link = document.createElement("a");
    link.href = `${root}${match.url}${match.match === "exact" ? `#m=${encodeURIComponent(match.message.toWellFormed())}` : ""}`;
    link.append(said);
    return make("li", [link, line]);
  }

  // As much of a text as has room for so many characters in an address, where most letters take three or more.
  function encoded(text, room) {
    let whole = "";
    for (const letter of text.toWellFormed()) {
      const next = encodeURIComponent(letter);
      if (whole.length + next.length > room) break;
      whole += next;
    }
    return whole;
  }

  // A form for a new record, filled with what is known. The reader sends it, or not.
  function proposal(query) {
    const address = form?.dataset.propose;
    if (!address || query === null) return "";
    const said = `${query.errorClass ? `${query.errorClass}: ` : ""}${query.message}`;
    const [one, other] = form.dataset.fields.split(" ");
    const where = query.file ? `${query.file}:${query.line}` : "";
    const message = said.slice(0, LONGEST);
    const rest = other
      ? `&${one}=${encoded(message, ROOM)}&${other}=${encoded(where, SIDE_ROOM)}`
      : `&${encodeURIComponent(one)}=${encoded(`Message:\n\n${message}`, ROOM)}${where && encoded(`\n\nRaised at ${where}`, SIDE_ROOM)}`;
    const link = make("a", "Propose a record for it");
    link.href = `${address}${encoded(said.slice(0, 200), SIDE_ROOM)}${rest}`;
    return make("p", [link, ": what was pasted goes into the form, and is sent when you send that."]);
  }

  function tell(found) {
    const exact = found.matches.filter((one) => one.match === "exact");
    const others = found.matches.filter((one) => one.match !== "exact");
    const parts = [];
    if (found.query === null) return [make("p", "There are no words in it to look for.")];
    if (exact.length) {
      parts.push(make("h2", exact.length === 1 ? "This is it" : `${exact.length} pages fit the whole message`));
    } else if (others.some((one) => one.match === "site")) {
      parts.push(make("h2", "Raised here, but not documented"), proposal(found.query));
    } else {
      parts.push(make("h2", others.length ? "No page fits it; these come near" : "No page fits it"));
      const said = make("samp", found.query.message.slice(0, LONGEST));
      parts.push(make("p", ["Looked for: ", said]), proposal(found.query));
    }
    for (const group of exact.length ? [exact] : [others]) {
      if (group.length) parts.push(make("ul", group.map((one) => item(one)), exact.length ? "errors fits" : "errors"));
    }
    return parts;
  }

  async function look(text) {
    asked += 1;
    const mine = asked;
    if (text.trim() === "") return place.replaceChildren();
    let parts;
    try {
      parts = tell(await pagefault.search(text, load));
    } catch {
      parts = [make("p", "The index could not be loaded: the lists below hold every error.")];
    }
    if (mine === asked) place.replaceChildren(...parts);
  }

  function pasted() {
    const found = /^#m=(.*)$/s.exec(location.hash);
    try {
      return found === null ? null : decodeURIComponent(found[1]);
    } catch {
      return null;
    }
  }

  function arrive() {
    const text = pasted();
    if (text === null) return;
    field.value = text;
    look(text);
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return "";
    }
  }

  function pairsOf(text) {
    return new Set([...text.slice(1)].map((letter, number) => text[number] + letter));
  }

  // The words of a page's address are those of its message: where they are filed, the page that was meant is too.
  // Of those, the ones whose address has most pairs of letters in common with what was asked for.
  async function lost() {
    const parts = decoded(location.pathname).split("/").filter((part) => part && part !== "index.html");
    const asked = (parts.pop() ?? "").toLowerCase().slice(0, 300);
    const pairs = pairsOf(asked);
    const filed = new Map();
    await pagefault.search(asked.replaceAll("-", " "), async function (name) {
      const shard = await load(name);
      for (const entry of shard.entries ?? []) if (entry.slug) filed.set(entry.id, entry);
      return shard;
    });
    const likely = [...filed.values()].map(function (entry) {
      const theirs = pairsOf(entry.slug);
      const shared = [...theirs].filter((pair) => pairs.has(pair)).length;
      const isNear = parts.some((part) => entry.repo.split("/").includes(part));
      return { entry, share: (2 * shared) / (pairs.size + theirs.size) + Number(isNear) / 100 };
    });
    const best = likely.filter(({ share }) => share > 0.6).sort((one, other) => other.share - one.share);
    if (!best.length) return;
    const entries = best.slice(0, 3).map(({ entry }) =>
      item({ ...entry, match: "likely", values: {}, url: `${entry.repo}/${entry.slug}/index.html` }),
    );
    place.replaceChildren(make("h2", "Did you look for one of these?"), make("ul", entries, "errors"));
  }

  if (form === null) return lost().catch(() => {});
  let waiting;
  field.addEventListener("input", function () {
    clearTimeout(waiting);
    waiting = setTimeout(() => look(field.value), PAUSE);
  });
  field.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    clearTimeout(waiting);
    const text = field.value;
    // Kept in the address, so that what was found can be shared; a long paste is not.
    if (text.length <= LONGEST) history.replaceState(null, "", `#m=${encodeURIComponent(text.toWellFormed())}`);
    // On a small screen what was found may lie below its edge.
    look(text).then(() => place.scrollIntoView({ block: "nearest" }));
  });
  addEventListener("hashchange", arrive);
  arrive();
})();
