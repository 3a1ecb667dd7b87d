/**
 * A preload (`NODE_OPTIONS=--import=…`) of a process under test: all of its threads take the time to be so many milliseconds later (`SKEP_TEST_LATER_MS`), as they would
 * in a node that is started again on another day; or by what a file says at the moment (`SKEP_TEST_LATER_FILE`, read ten times a second), as where the clock of the machine
 * is set while it runs. The monotonic clock goes on. The product has no switch for it.
 */
import { readFileSync } from 'node:fs';

const Real = Date;
const file = process.env.SKEP_TEST_LATER_FILE;
const READ_MS = 100;
let laterMs = Number(process.env.SKEP_TEST_LATER_MS ?? 0);
let readAt = Number.NEGATIVE_INFINITY;

function later() {
  if (file === undefined || performance.now() - readAt < READ_MS) return laterMs;
  readAt = performance.now();
  const said = Number.parseInt(readFileSync(file, 'utf8'), 10);
  if (!Number.isNaN(said)) laterMs = said;
  return laterMs;
}

globalThis.Date = class Date extends Real {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Date.now()] : parts));
  }
  static now() {
    return Real.now() + later();
  }
};
