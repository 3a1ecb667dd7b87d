import { expect, test } from 'vitest';
import { Ahead } from '#runtime/cluster/ahead.ts';

class Connection {
  isOpen = true;

  close(): void {
    this.isOpen = false;
  }
}

function world() {
  const made: Connection[] = [];
  const clock = { ms: 0 };
  let fault: Error | null = null;
  const ahead = new Ahead<Connection>({
    open: async () => {
      if (fault !== null) throw fault;
      made.push(new Connection());
      return made.at(-1)!;
    },
    msMax: 100,
    now: () => clock.ms,
  });
  return { ahead, made, clock, fails: (error: Error | null) => (fault = error) };
}

test('what was opened ahead is given once', async () => {
  const { ahead, made } = world();
  expect(await ahead.take()).toBeNull();
  await ahead.open();
  expect(await ahead.take()).toBe(made[0]);
  expect(await ahead.take()).toBeNull();
  expect(made[0]!.isOpen).toBe(true);
});

test('what is being opened is waited for', async () => {
  const { ahead, made } = world();
  const opening = ahead.open();
  expect(await ahead.take()).toBe(made[0]);
  await opening;
});

test('an old one is closed and not given', async () => {
  const { ahead, made, clock } = world();
  await ahead.open();
  clock.ms = 100;
  expect(await ahead.take()).toBeNull();
  expect(made[0]!.isOpen).toBe(false);
});

test('a second opening closes the first one', async () => {
  const { ahead, made } = world();
  await ahead.open();
  await ahead.open();
  expect(made.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  expect(await ahead.take()).toBe(made[1]);
});

test('where it does not open nothing is ahead', async () => {
  const { ahead, made, fails } = world();
  await ahead.open();
  fails(new Error('the server is away'));
  await ahead.open();
  expect(made[0]!.isOpen).toBe(false);
  expect(await ahead.take()).toBeNull();
});
