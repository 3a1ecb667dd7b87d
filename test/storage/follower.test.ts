import { expect, it } from 'vitest';
import type { Environment, Write } from '#storage/environment.ts';
import { Follower } from '#storage/follower.ts';
import { Budget } from '#storage/overlay/budget.ts';
import { Cell } from '#storage/overlay/cell.ts';
import { Overlay } from '#storage/overlay/overlay.ts';
import { decodeRecord } from '#storage/record.ts';

/** A follower over an environment that only notes the groups, each as its keys and the number that it moves to. */
class Scene {
  readonly groups: string[] = [];
  readonly overlay = new Overlay();
  readonly budget = new Budget(1000, 1_000_000);
  durable = 0;
  inFlight = 0;
  urgent: boolean[] = [];
  gate: (() => void)[] | null = null;
  finish: () => void = () => undefined;
  readonly follower: Follower;

  constructor(putsMax: number, sweepCells = 100, calmCellsMax = 100) {
    const environment = { commit: (writes: readonly Write[]) => this.#commit(writes) } as Environment;
    this.follower = new Follower({
      environment,
      overlay: this.overlay,
      budget: this.budget,
      epoch: 3,
      putsMax,
      sweepCells,
      sweepBytes: 1000,
      calmCellsMax,
      waitsMax: 3,
      durable: () => this.durable,
      reach: () => null,
      onFollowed: () => undefined,
      schedule: (begin, urgent) => {
        this.urgent.push(urgent);
        if (this.gate === null) begin();
        else this.gate.push(begin);
      },
    });
  }

  #commit(writes: readonly Write[]): Promise<void> {
    expect(++this.inFlight).toBe(1);
    const keys = writes.filter(([key]) => key.length === 1).map(([key]) => key);
    const applied = writes.find(([key]) => key.length > 1)?.[1];
    const at = applied === undefined ? '' : (decodeRecord(applied!, 'applied') as { epoch: number; number: number });
    this.groups.push(keys.join('') + (at === '' ? '' : ` ${at.epoch}:${at.number}`));
    return new Promise((resolve) => {
      this.finish = () => {
        this.inFlight--;
        resolve();
      };
    });
  }

  /** One record whose keys are the letters of a word. */
  record(number: number, word: string, value: Uint8Array | null = null): void {
    this.budget.take(word.length, word.length * (1 + (value?.length ?? 0)));
    for (const letter of word) {
      const cell = new Cell(letter, value);
      cell.number = number;
      this.overlay.growing.add(cell);
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

it('sweeps all that waits in key order, in groups, and moves the number on with the last', async () => {
  const scene = new Scene(3);
  for (const [i, word] of ['dc', 'ba', 'fe', 'g'].entries()) scene.record(i + 1, word);
  await scene.sync(4);
  await scene.finishAll();
  expect(scene.groups).toEqual(['abc', 'def', 'g 3:4']);
  expect([scene.follower.lag, scene.overlay.empty, scene.budget.entries, scene.budget.bytes]).toEqual([0, true, 0, 0]);
});

it('writes nothing before all that the sweep takes is durable', async () => {
  const scene = new Scene(100);
  for (const [i, word] of ['dc', 'ba', 'fe'].entries()) scene.record(i + 1, word);
  await scene.sync(2);
  expect([scene.groups, scene.follower.oldest]).toEqual([[], 1]);
  scene.record(4, 'z');
  await scene.sync(3);
  expect(scene.groups).toEqual(['abcdef 3:3']);
  await scene.sync(4);
  await scene.finishAll();
  expect(scene.groups).toEqual(['abcdef 3:3', 'z 3:4']);
});

it('begins nothing while a group is in flight, and keeps what was overwritten meanwhile', async () => {
  const scene = new Scene(100);
  scene.record(1, 'a');
  await scene.sync(1);
  scene.record(2, 'ab');
  await scene.sync(2);
  expect([scene.groups, scene.overlay.get('a')?.number]).toEqual([['a 3:1'], 2]);
  scene.finish();
  await scene.settle();
  expect([scene.overlay.get('a')?.number, scene.groups]).toEqual([2, ['a 3:1', 'ab 3:2']]);
  await scene.finishAll();
  expect(scene.overlay.empty).toBe(true);
});

it('writes a key once, with its newest value', async () => {
  const scene = new Scene(100);
  for (let number = 1; number <= 5; number++) scene.record(number, 'ab');
  await scene.sync(5);
  expect([scene.groups, scene.follower.lag, scene.budget.entries]).toEqual([['ab 3:5'], 10, 10]);
  await scene.finishAll();
  expect([scene.follower.lag, scene.budget.entries, scene.budget.bytes]).toEqual([0, 0, 0]);
});

it('is urgent for a full overlay, and while a caller waits for the end', async () => {
  const scene = new Scene(100, 4);
  scene.record(1, 'a');
  await scene.sync(1);
  await scene.finishAll();
  scene.record(2, 'abcd');
  await scene.sync(2);
  await scene.finishAll();
  scene.record(3, 'a');
  scene.durable = 3;
  const settled = scene.follower.settled();
  await scene.finishAll();
  await settled;
  expect(scene.urgent).toEqual([false, true, true]);
  expect(scene.follower.oldest).toBe(Number.POSITIVE_INFINITY);
});

it('calls few large writes urgent, too', async () => {
  const scene = new Scene(100);
  for (const [i, bytes] of [100, 999].entries()) {
    scene.record(i + 1, 'a', Buffer.alloc(bytes));
    await scene.sync(i + 1);
    await scene.finishAll();
  }
  expect(scene.urgent).toEqual([false, true]);
  expect(scene.budget.bytes).toBe(0);
});

it('waits again while much arrives, some times, and begins at once when it becomes urgent', async () => {
  const scene = new Scene(100, 6, 1);
  scene.gate = [];
  scene.record(1, 'abc');
  await scene.sync(1);
  scene.gate.shift()!();
  expect([scene.groups, scene.gate.length]).toEqual([[], 1]);
  scene.gate.shift()!();
  scene.gate.shift()!();
  expect([scene.groups, scene.gate.length]).toEqual([['abc 3:1'], 0]);
  await scene.finishAll();

  scene.record(2, 'abc');
  await scene.sync(2);
  scene.record(3, 'def');
  await scene.sync(3);
  expect(scene.urgent.slice(3)).toEqual([false, true]);
  const [late, now] = scene.gate;
  now!();
  late!();
  await scene.finishAll();
  expect(scene.groups).toEqual(['abc 3:1', 'abcdef 3:3']);
});
