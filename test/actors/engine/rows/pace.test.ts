/** A read that does not fit into its turn: where it goes on, and that it leaves nothing open. */
import { expect, test } from 'vitest';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { frozen } from '#actors/engine/rows/frozen.ts';
import { readInSlices } from '#actors/engine/rows/pace.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';

const engine = () => new Engine(productOf([entityOf('item', { n: { type: 'integer' } })]));

/** A job of some steps that counts how often it began and ended. */
function counted(steps: number) {
  const seen = { begun: 0, ended: 0 };
  function* job(): Steps<string> {
    seen.begun++;
    try {
      for (let no = 0; no < steps; no++) yield;
      return 'done';
    } finally {
      seen.ended++;
    }
  }
  return { seen, job };
}

test('in a turn it begins again over a snapshot, over a frozen view it goes on', async () => {
  const live = counted(3);
  expect(await readInSlices(engine().session(), false, live.job)).toBe('done');
  expect(live.seen).toEqual({ begun: 2, ended: 2 });
  const one = engine();
  const view = frozen(one.session());
  const over = counted(3);
  expect(await readInSlices(view.session, false, over.job)).toBe('done');
  expect(over.seen).toEqual({ begun: 1, ended: 1 });
  expect(one.yields).toBe(3);
  view.close();
});

test('over a frozen view that has grown too old it is refused, and its work is ended', async () => {
  const one = engine();
  const tired = {
    ...one.session(),
    yieldTurn: () => Promise.resolve(one.clock.advance(limits.storage.snapshotMsMax + 1)),
  };
  const view = frozen(tired);
  const { seen, job } = counted(3);
  expect(await readInSlices(view.session, false, job)).toMatchObject({ status: 500 });
  expect(seen).toEqual({ begun: 1, ended: 1 });
  view.close();
});
