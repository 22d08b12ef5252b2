// Added by `pagefault serve` to the pages that it serves, and part of no site: loads a page again when there is a
// newer one, and shows why there is none.
"use strict";
(function () {
  const own = document.currentScript;
  const STYLE = `
    dialog { box-sizing: border-box; width: min(70rem, 94vw); max-height: 90vh; padding: 0; border: 1px solid #b3261e;
      border-radius: 6px; background: #17181b; color: #e8e6e1; color-scheme: dark; overflow: hidden; }
    dialog[open] { display: flex; flex-direction: column; }
    dialog::backdrop { background: rgb(0 0 0 / 75%); }
    header { display: flex; gap: 1rem; align-items: center; padding: .8rem 1rem; background: #8c1d18; color: #fff; }
    h1 { flex: 1; margin: 0; font: 600 1.05rem/1.3 system-ui, sans-serif; }
    p { margin: 0; padding: .8rem 1rem 0; font: .95rem/1.4 system-ui, sans-serif; color: #c9c6bf; }
    button { font: .9rem system-ui, sans-serif; padding: .35rem .8rem; border: 1px solid #fff; border-radius: 4px;
      background: transparent; color: inherit; cursor: pointer; }
    pre { margin: 0; padding: 1rem; overflow: auto; font: .875rem/1.45 ui-monospace, monospace; }
    .error { color: #ff8a80; font-weight: 600; }
    .warning { color: #ffd27a; font-weight: 600; }
    .place { color: #8ab4f8; }
    .note { white-space: pre-wrap; }
  `;
  let stream = null;
  let dialog = null;
  let told = ""; // what is shown, or was until the reader closed it

  function element(name, text, parent) {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function kind(line) {
    if (/^(error|warning)\[/.test(line)) return line.slice(0, line.indexOf("["));
    if (/^ *-->/.test(line)) return "place";
    return /^ *= (note|help): /.test(line) ? "note" : "";
  }

  function clear() {
    if (dialog !== null) dialog.getRootNode().host.remove();
    dialog = null;
    told = "";
  }

  function show(problem) {
    if (problem === told) return;
    clear();
    told = problem;
    const root = element("div", "", document.body).attachShadow({ mode: "open" });
    // A sheet of its own, which the site's policy allows and its style does not reach.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    dialog = element("dialog", "", root);
    const header = element("header", "", dialog);
    const title = element("h1", "The site could not be built", header);
    title.id = "title";
    dialog.setAttribute("aria-labelledby", "title");
    element("button", "Show the last good page", header).addEventListener("click", function () {
      dialog.close();
    });
    element("p", "This goes away by itself when it is mended.", dialog);
    const text = element("pre", "", dialog);
    text.tabIndex = 0;
    for (const line of problem.trimEnd().split("\n")) {
      element("span", `${line}\n`, text).className = kind(line);
    }
    dialog.showModal();
  }

  function hear(event) {
    const state = JSON.parse(event.data);
    if (state.problem !== "") {
      show(state.problem);
    } else if (state.version !== own.dataset.version) {
      // Without one, a first build is under way: what there is will do until then.
      if (state.version !== "") location.reload();
    } else {
      clear();
    }
  }

  function close() {
    if (stream !== null) stream.close();
    stream = null;
  }

  // A browser has few connections to a host: pages that nobody sees keep none, and ask when they are seen again.
  function listen() {
    close();
    if (document.visibilityState === "hidden") return;
    stream = new EventSource(new URL("events", own.src));
    stream.onmessage = hear;
    stream.onerror = function () {
      // What cannot be reached is tried again by the browser; what was answered otherwise is not.
      if (stream !== null && stream.readyState === EventSource.CLOSED) setTimeout(listen, 1000);
    };
  }

  addEventListener("pagehide", close);
  addEventListener("pageshow", listen);
  document.addEventListener("visibilitychange", listen);
})();
