/** The gate over two threads that share its cells; here they are two gates in one thread. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { createPasswordCells, PasswordGate, PasswordsBusy } from '#actors/kit/password-gate.ts';

const { passwordsRunningMax: running, passwordsWaitingMax: waiting } = limits.identity;

class Work {
  at = 0;
  most = 0;
  readonly #ends: (() => void)[] = [];
  readonly run = async (): Promise<void> => {
    this.most = Math.max(this.most, ++this.at);
    await new Promise<void>((resolve) => this.#ends.push(resolve));
    this.at--;
  };

  get begun(): number {
    return this.#ends.length;
  }

  end(): void {
    this.#ends.shift()?.();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('so many at once over all threads and callers; the others follow', async () => {
  const cells = createPasswordCells(2);
  const gates = [new PasswordGate(cells, 0), new PasswordGate(cells, 1)];
  const work = new Work();
  const runs = Array.from({ length: 10 }, (_, no) => gates[no % 2]!.run(work.run));
  await turn();
  expect(work.at).toBe(running);
  let done = 0;
  for (const run of runs) void run.then(() => done++);
  while (done < runs.length) {
    work.end();
    await turn();
  }
  expect(work.most).toBe(running);
  expect([...cells]).toEqual([0, 0, 0]);
});

test('a full queue is refused; a failure gives its place back', async () => {
  const cells = createPasswordCells(1);
  const gate = new PasswordGate(cells, 0);
  const work = new Work();
  const runs = Array.from({ length: running + waiting }, () => gate.run(work.run));
  await expect(gate.run(work.run)).rejects.toThrow(PasswordsBusy);
  let done = 0;
  for (const run of runs) void run.then(() => done++);
  while (done < runs.length) {
    work.end();
    await turn();
  }
  await expect(gate.run(() => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
  expect([...cells]).toEqual([0, 0]);
});

test('what a dead thread had running counts no more, and what waits for it goes on', async () => {
  const cells = createPasswordCells(2);
  const dead = new PasswordGate(cells, 0);
  const lost = new Work();
  for (let i = 0; i < running; i++) void dead.run(lost.run);
  await turn();
  const alive = new PasswordGate(cells, 1);
  const work = new Work();
  const run = alive.run(work.run);
  await turn();
  expect(work.begun).toBe(0);
  expect(new PasswordGate(cells, 0)).toBeDefined();
  while (work.begun === 0) await turn();
  work.end();
  await run;
  expect([...cells]).toEqual([0, 0, 0]);
});
