/** Faults of the rates that must be noticed. */
import { PLANTS } from '#test/planted/plants.ts';
import type { Control } from '#test/simulation/control.ts';

const KEEPER = 'actors/rates/keeper.ts';
const GATE = 'actors/rates/gate.ts';

export const RATES_CONTROLS: Readonly<Record<string, Control>> = {
  'one-request-more': { what: PLANTS['one-request-more']!.what, plant: PLANTS['one-request-more']!, of: 'rates' },
  'idle-entry-kept': {
    what: 'The keeper gives up no entry, so that a table stays full.',
    of: 'rates',
    plant: {
      file: KEEPER,
      find: 'if (this.#isIdle(cell, now, profile)) {',
      put: 'if (this.#isIdle(cell, now, profile) && this.#halves[1] === 0) {',
    },
  },
  'entry-given-up-early': {
    what: 'The keeper gives up an entry whose bucket is not full.',
    of: 'rates',
    plant: {
      file: KEEPER,
      find: 'return ((now - this.#halves[0]) | 0) >= profile.idleTicks;',
      put: 'return ((now - this.#halves[0]) | 0) >= -profile.windowTicks;',
    },
  },
  'charge-lost-to-sweep': {
    what: 'The keeper clears an entry although a charge has come meanwhile.',
    of: 'rates',
    plant: {
      file: KEEPER,
      find: 'return Atomics.compareExchange(this.#cells, cell, before, 0n) === before;',
      put: 'return before !== 0n && Atomics.store(this.#words, cell * 2, 0) + Atomics.store(this.#words, cell * 2 + 1, 0) === 0;',
    },
  },
  'lock-of-dead-thread-kept': {
    what: 'The keeper does not free the lock of a thread that has died.',
    of: 'rates',
    plant: { file: KEEPER, find: 'if (heldMs > sweepMs)', put: 'if (heldMs > 2 ** 52)' },
  },
  'two-entries-of-a-caller': {
    what: 'A thread that has got the lock does not look again whether its caller has come meanwhile.',
    of: 'rates',
    plant: { file: GATE, find: '      if (this.#find(first) !== NOT_FOUND) return -1;\n', put: '' },
  },
  'full-table-admits': {
    what: 'Callers without a place are granted what they ask for.',
    of: 'rates',
    plant: {
      file: GATE,
      find: '      if (wait > 0 && isSane(profile, tat, now)) return wait;\n      const next',
      put: '      const next',
    },
  },
  'entry-taken-from-a-caller': {
    what: 'An entry whose bucket is not full is given to another caller.',
    of: 'rates',
    plant: { file: GATE, find: 'if (tag !== 0 && ((tat - now) | 0) <= 0)', put: 'if (tag !== 0)' },
  },
};
