// Puts a button into the caption of every block of code; what it copies is the code, without numbers.
"use strict";
(function () {
  if (!navigator.clipboard) {
    return;
  }
  for (const caption of document.querySelectorAll("figure.code > figcaption:first-child")) {
    const code = caption.parentElement.querySelector("pre code");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(code.textContent.trimEnd()).then(function () {
        button.textContent = "Copied";
        setTimeout(function () {
          button.textContent = "Copy";
        }, 1500);
      });
    });
    caption.append(button);
  }
})();
