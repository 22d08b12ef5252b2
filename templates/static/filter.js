// Narrows a list that is whole without it: entries stay that hold every word typed.
"use strict";
(function () {
  const form = document.querySelector(".filter");
  if (form === null) return;
  const status = form.querySelector("[role=status]");
  const entries = [...document.querySelectorAll(".filtered li")];
  const texts = entries.map((one) => one.textContent.toLowerCase());

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", function () {
    const words = form.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    entries.forEach(function (entry, index) {
      entry.hidden = !words.every((word) => texts[index].includes(word));
      if (!entry.hidden) shown += 1;
    });
    // A heading without an entry below it says nothing.
    for (const group of document.querySelectorAll(".filtered > section")) {
      group.hidden = group.querySelector("li:not([hidden])") === null;
    }
    status.textContent = words.length ? `${shown} of ${entries.length}` : "";
  });
})();
