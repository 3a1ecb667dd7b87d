/** A machine without the addon: node:http serves, and the opener of the door hears why. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDoor } from '#runtime/door/open-door.ts';

vi.mock('uWebSockets.js', () => {
  throw new Error('no binary for this machine');
});

test('node:http serves, and the reason is reported', async () => {
  const onNoAddon = vi.fn<(fault: unknown) => void>();
  const door = await openDoor(
    { host: '127.0.0.1', port: 0, onNoAddon },
    (visit) => visit.answer(200, 'Content-Type: text/plain\n', visit.path),
    undefined,
  );
  onTestFinished(() => door.close());
  expect(await (await fetch(`http://127.0.0.1:${door.port}/a`)).text()).toBe('/a');
  expect(onNoAddon).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
});
