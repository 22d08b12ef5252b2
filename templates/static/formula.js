// Works out what a reader's own values lead to. A twin of generator/formula.py.
"use strict";
(function () {
  const pagefault = (globalThis.pagefault = globalThis.pagefault || {});

  // A formula in postfix form over the values, whole numbers all; null where a value is none.
  pagefault.computed = function (formula, values) {
    const floor = (a, b) => (a - (((a % b) + b) % b)) / b;
    const stack = [];
    for (const step of formula) {
      if (typeof step === "number") stack.push(BigInt(step));
      else if (typeof step === "object") {
        if (!/^[+-]?\d{1,30}$/.test(values[step.hole])) return null;
        stack.push(BigInt(values[step.hole]));
      } else if (step === "neg") stack.push(-stack.pop());
      else {
        const b = stack.pop();
        const a = stack.pop();
        if ((step === "//" || step === "%") && b === 0n) return null;
        stack.push(
          { "+": () => a + b, "-": () => a - b, "*": () => a * b, "//": () => floor(a, b), "%": () => a - b * floor(a, b),
            min: () => (a < b ? a : b), max: () => (a > b ? a : b) }[step](),
        );
      }
    }
    return String(stack[0]);
  };
})();
