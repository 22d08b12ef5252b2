// Shows the reader's own values when the address carries a message: `#m=<percent-encoded message>`.
"use strict";
(function () {
  const section = document.getElementById("yours");
  if (section === null) {
    return;
  }
  const segments = JSON.parse(section.dataset.segments);
  const holes = JSON.parse(section.dataset.holes);
  const list = section.querySelector("dl");

  function pasted() {
    const found = /^#m=(.*)$/.exec(location.hash);
    try {
      return found === null ? null : decodeURIComponent(found[1]);
    } catch {
      return null;
    }
  }

  function show() {
    const message = pasted();
    const values = message === null ? null : pagefault.captures(segments, message);
    section.hidden = values === null || values.length === 0;
    list.replaceChildren();
    (values ?? []).forEach(function (value, index) {
      const term = document.createElement("dt");
      const detail = document.createElement("dd");
      term.textContent = holes[index];
      detail.textContent = value;
      list.append(term, detail);
    });
  }

  addEventListener("hashchange", show);
  show();
})();
