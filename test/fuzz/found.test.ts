/** What hostile inputs have found stays mended. */
import { expect, onTestFinished, test } from 'vitest';
import { FOUND } from './found.ts';
import { TARGETS } from './targets.ts';
import { Trial } from './trial.ts';

test.each(FOUND)('$target: $was', async ({ target: name, input }) => {
  const target = await TARGETS[name]!();
  // Modules that a first call loads come from the disk, in no countable time.
  await target.run(Buffer.from(target.seeds[0]!));
  const trial = new Trial();
  onTestFinished(() => trial[Symbol.dispose]());
  expect(await trial.whyOf(target, Buffer.from(input, 'latin1'))).toBeNull();
});
