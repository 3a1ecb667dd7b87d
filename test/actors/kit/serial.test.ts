/** Tasks that must not overlap. */
import { describe, expect, test } from 'vitest';
import { Serial, SerialByKey } from '#actors/kit/serial.ts';

/** A task that ends when it is told to. */
function heldTask(name: string, said: string[]) {
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const task = async (): Promise<string> => {
    said.push(`${name} begins`);
    await held;
    said.push(`${name} ends`);
    return name;
  };
  return { task, end };
}

describe('serial', () => {
  test('begins a task when the one before it has ended', async () => {
    const said: string[] = [];
    const serial = new Serial();
    const one = heldTask('one', said);
    const first = serial.run(one.task);
    const second = serial.run(() => said.push('two'));
    await Promise.resolve();
    expect(said).toEqual(['one begins']);
    one.end();
    expect([await first, await second]).toEqual(['one', 3]);
    expect(said).toEqual(['one begins', 'one ends', 'two']);
  });

  test('a task that fails is the failure of its caller alone', async () => {
    const serial = new Serial();
    const failed = serial.run(() => Promise.reject(new Error('no')));
    const thrown = serial.run(() => {
      throw new Error('neither');
    });
    const next = serial.run(() => 'next');
    await expect(failed).rejects.toThrow('no');
    await expect(thrown).rejects.toThrow('neither');
    expect(await next).toBe('next');
  });
});

describe('serial by key', () => {
  test('tasks of one key wait for one another, those of another key do not', async () => {
    const said: string[] = [];
    const serial = new SerialByKey();
    const one = heldTask('one', said);
    const first = serial.run('a', one.task);
    const failing = serial.run('a', () => Promise.reject(new Error('no')));
    const last = serial.run('a', async () => void said.push('last'));
    await serial.run('b', async () => void said.push('other'));
    expect(said).toEqual(['one begins', 'other']);
    one.end();
    await expect(failing).rejects.toThrow('no');
    await Promise.all([first, last]);
    expect(said).toEqual(['one begins', 'other', 'one ends', 'last']);
  });
});
