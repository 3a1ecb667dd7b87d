/**
 * A preload (`NODE_OPTIONS=--import=…`) of a process under test: all of its threads take the time to be so many milliseconds later (`SKEP_TEST_LATER_MS`), as they would
 * in a node that is started again on another day. The product has no switch for it.
 */
const Real = Date;
const laterMs = Number(process.env.SKEP_TEST_LATER_MS ?? 0);
globalThis.Date = class Date extends Real {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Date.now()] : parts));
  }
  static now() {
    return Real.now() + laterMs;
  }
};
