// On every page: the field in the header, the key that leads to it, and buttons that copy.
"use strict";
(function () {
  const seek = document.querySelector(".seek");
  const field = document.getElementById("paste") ?? document.getElementById("seek");
  const LONGEST = 16000; // characters in an address; what matters of a log is at its end

  // What was typed or pasted goes to the front page in the fragment, which is sent to no server.
  function go(text) {
    if (text.trim()) location.href = `${seek.dataset.home}#m=${encodeURIComponent(text.slice(-LONGEST).toWellFormed())}`;
  }
  if (seek !== null) {
    seek.addEventListener("submit", function (event) {
      event.preventDefault();
      go(field.value);
    });
    // The field has one line: what is pasted would lose its line ends in it.
    field.addEventListener("paste", function (event) {
      const text = event.clipboardData.getData("text");
      if (text.trim().includes("\n")) {
        event.preventDefault();
        go(text);
      }
    });
  }
  addEventListener("keydown", function (event) {
    const target = event.target;
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && field !== null) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape" && target === field) {
      field.blur();
    }
  });

  function copying(place, what, name) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${name}`);
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(what()).then(function () {
        button.textContent = "Copied";
        setTimeout(function () {
          button.textContent = "Copy";
        }, 1500);
      });
    });
    place.append(button);
  }
  if (!navigator.clipboard) return;
  // What one should not write is not offered, nor what is not whole.
  for (const caption of document.querySelectorAll("figure.code:not(.gone, .cut) > figcaption:first-child")) {
    const code = caption.parentElement.querySelector("pre code");
    copying(caption, () => code.textContent.trimEnd(), caption.textContent);
  }
  for (const box of document.querySelectorAll(".printed")) {
    const title = box.querySelector("h1");
    copying(box, () => title.querySelector(".message").textContent, "the message");
  }
})();
