// Shows the reader's own values when the address carries a message: `#m=<percent-encoded message>`.
"use strict";
(function () {
  const pagefault = (globalThis.pagefault = globalThis.pagefault || {});

  const section = document.getElementById("yours");
  if (section === null) return;
  const segments = JSON.parse(section.dataset.segments);
  const holes = JSON.parse(section.dataset.holes);
  const computed = JSON.parse(section.dataset.computed);
  const list = section.querySelector("dl");
  const shown = section.querySelector("samp");

  function pasted() {
    const found = /^#m=(.*)$/.exec(location.hash);
    try {
      return found === null ? null : decodeURIComponent(found[1]);
    } catch {
      return null;
    }
  }

  // The message may have its class before it, as programs print it.
  function captured(text) {
    const message = text.trim();
    const start = message.indexOf(": ");
    return [message, start < 0 ? "" : message.slice(start + 2)]
      .map((one) => [one, pagefault.captures(segments, one)])
      .find(([, values]) => values !== null);
  }

  function add(name, text) {
    const term = document.createElement("dt");
    const detail = document.createElement("dd");
    term.textContent = name;
    detail.textContent = text;
    list.append(term, detail);
  }

  function show() {
    const found = captured(pasted() ?? "");
    section.hidden = found === undefined;
    list.replaceChildren();
    shown.replaceChildren();
    if (found === undefined) return;
    const values = found[1];
    let fixed = 0;
    let hole = 0;
    for (const segment of segments) {
      if (typeof segment === "string") {
        fixed += segment.length;
        shown.append(segment);
      } else {
        const mark = document.createElement("mark");
        mark.textContent = values[hole];
        shown.append(mark);
        hole += 1;
      }
    }
    section.querySelector(".weak").hidden = fixed >= 16;
    values.forEach((text, index) => add(holes[index], text));
    for (const one of computed) {
      const result = pagefault.computed(one.formula, values);
      if (result !== null) add(one.name, result);
    }
  }

  addEventListener("hashchange", show);
  show();
})();
