/** Background work that is asked for again while it runs. */
import { expect, test } from 'vitest';
import { RunAgain } from '#actors/kit/pace/run-again.ts';

test('it runs once more for all that asked meanwhile, and anew afterwards', async () => {
  const again = new RunAgain();
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => void ends.push(resolve));
  const end = async (): Promise<void> => {
    ends.at(-1)!();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  for (let asked = 0; asked < 3; asked++) again.ask(work);
  expect(ends).toHaveLength(1);
  await end();
  expect(ends).toHaveLength(2);
  await end();
  expect(ends).toHaveLength(2);
  again.ask(work);
  expect(ends).toHaveLength(3);
});
