import { expect, it } from 'vitest';
import type { Environment, Write } from '#storage/environment.ts';
import { Follower } from '#storage/follower.ts';
import { Budget } from '#storage/overlay/budget.ts';
import { Cell } from '#storage/overlay/cell.ts';
import { Pending } from '#storage/overlay/pending.ts';
import { decodeRecord } from '#storage/record.ts';

/** A follower over an environment that only notes the groups, each as its keys and the number that it moves to. */
class Scene {
  readonly groups: string[] = [];
  readonly pending = new Pending();
  readonly budget = new Budget(1000, 1_000_000);
  durable = 0;
  inFlight = 0;
  urgent: boolean[] = [];
  finish: () => void = () => undefined;
  readonly follower: Follower;

  constructor(rowsMax: number, putsMax: number) {
    const environment = { commit: (writes: readonly Write[]) => this.#commit(writes) } as Environment;
    this.follower = new Follower({
      environment,
      pending: this.pending,
      budget: this.budget,
      epoch: 3,
      rowsMax,
      putsMax,
      durable: () => this.durable,
      onFollowed: () => undefined,
      schedule: (begin, urgent) => {
        this.urgent.push(urgent);
        begin();
      },
    });
  }

  #commit(writes: readonly Write[]): Promise<void> {
    expect(++this.inFlight).toBe(1);
    const keys = writes.slice(0, -1).map(([key]) => key);
    const { epoch, number } = decodeRecord(writes.at(-1)![1]!, 'applied') as { epoch: number; number: number };
    this.groups.push(`${keys.join('')} ${epoch}:${number}`);
    return new Promise((resolve) => {
      this.finish = () => {
        this.inFlight--;
        resolve();
      };
    });
  }

  /** One record whose keys are the letters of a word. */
  record(number: number, word: string): void {
    this.budget.take(word.length, word.length);
    for (const letter of word) {
      const cell = new Cell(letter, null);
      cell.number = number;
      this.pending.add(cell);
      this.follower.push(cell);
    }
  }

  async sync(number: number): Promise<void> {
    this.durable = number;
    this.follower.follow();
    await this.settle();
  }

  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  async finishAll(): Promise<void> {
    while (this.inFlight > 0) {
      this.finish();
      await this.settle();
    }
  }
}

it('takes only durable records, in order, sorted by key, at most so many rows', async () => {
  const scene = new Scene(2, 100);
  for (const [i, word] of ['dc', 'ba', 'fe', 'g'].entries()) scene.record(i + 1, word);
  await scene.sync(3);
  await scene.finishAll();
  expect(scene.groups).toEqual(['abcd 3:2', 'ef 3:3']);
  await scene.sync(4);
  await scene.finishAll();
  expect(scene.groups.at(-1)).toBe('g 3:4');
  expect([scene.follower.lag, scene.pending.size, scene.budget.entries, scene.budget.bytes]).toEqual([0, 0, 0, 0]);
});

it('splits by puts and moves the number only with whole records', async () => {
  const scene = new Scene(100, 3);
  scene.record(5, 'ab');
  scene.record(6, 'cdefg');
  await scene.sync(6);
  await scene.finishAll();
  expect(scene.groups).toEqual(['abc 3:5', 'def 3:5', 'g 3:6']);
});

it('begins nothing while a group is in flight, and keeps what was overwritten meanwhile', async () => {
  const scene = new Scene(100, 100);
  scene.record(1, 'a');
  await scene.sync(1);
  scene.record(2, 'ab');
  await scene.sync(2);
  expect(scene.groups).toEqual(['a 3:1']);
  scene.finish();
  await scene.settle();
  expect([scene.pending.get('a')?.number, scene.groups]).toEqual([2, ['a 3:1', 'ab 3:2']]);
  await scene.finishAll();
  expect(scene.pending.size).toBe(0);
});

it('leaves out what a durable record overwrites, and nothing else', async () => {
  const scene = new Scene(100, 100);
  scene.record(1, 'ab');
  scene.record(2, 'a');
  scene.record(3, 'b');
  await scene.sync(2);
  await scene.finishAll();
  expect(scene.groups).toEqual(['ab 3:2']);
  expect(scene.pending.get('b')?.number).toBe(3);
});

it('calls a whole group, and one that somebody waits for, urgent', async () => {
  const scene = new Scene(100, 4);
  scene.record(1, 'a');
  await scene.sync(1);
  await scene.finishAll();
  scene.record(2, 'abcd');
  await scene.sync(2);
  await scene.finishAll();
  scene.record(3, 'a');
  const settled = scene.follower.settled();
  await scene.sync(3);
  await scene.finishAll();
  await settled;
  expect(scene.urgent).toEqual([false, true, true]);
  expect(scene.follower.oldest).toBe(Number.POSITIVE_INFINITY);
});
