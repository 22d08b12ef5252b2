// Recognises an error message by the segments of its pattern: fixed text and holes.
// A twin of `Pattern.captures` in generator/pattern.py; tests/test_pattern_js.py holds them together.
// It walks instead of running the published regex, which can take minutes on a hostile message.
(function () {
  "use strict";

  const pagefault = (globalThis.pagefault = globalThis.pagefault || {});

  // A hole counts code points, as Python and the `u` flag do: half an emoji is no capture.
  function after(message, index) {
    return index + (message.codePointAt(index) > 0xffff ? 2 : 1);
  }

  // segments: strings (fixed text, never empty, never side by side) and numbers (a hole's minimum,
  // 0 or 1). Returns what each hole holds in the whole message, or null if it does not match.
  pagefault.captures = function (segments, message) {
    const found = [];
    let begin = null; // of the hole that still has no end
    let position = 0; // where the next fixed text may begin at the earliest
    for (let index = 0; index < segments.length; index += 1) {
      const segment = segments[index];
      if (typeof segment === "number") {
        // Lazy holes side by side: all but the last take their minimum.
        if (begin !== null) found.push(message.slice(begin, position));
        begin = position;
        if (segment > 0) position = after(message, position);
        continue;
      }
      // The leftmost place is enough: if any other leads to a match, so does this one.
      let start = -1;
      if (begin === null) {
        if (message.startsWith(segment)) start = 0;
      } else if (index === segments.length - 1) {
        if (message.endsWith(segment)) start = message.length - segment.length;
      } else {
        start = message.indexOf(segment, position);
      }
      if (start < position) return null;
      if (begin !== null) found.push(message.slice(begin, start));
      begin = null;
      position = start + segment.length;
    }
    if (begin === null) return position === message.length ? found : null;
    found.push(message.slice(begin));
    return position <= message.length ? found : null;
  };
})();
