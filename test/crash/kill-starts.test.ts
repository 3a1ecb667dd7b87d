/**
 * kill -9 at any moment of a node's life, most of all in the start that recovers what the kill before has left: half of the lives end before they serve. What the callers of all lives were told holds, as under
 * kills of a node that serves (kill.test.ts). Rounds: test/kit/rounds.ts; SKEP_TEST_SEED repeats a run, as far as processes do.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { Random } from '#test/kit/random.ts';
import { rounds, within } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { drive, emptyLedger, verify, verifySubmissions, type Ledger } from './row-ledger.ts';

/** A pass of the campaign is a longer one. */
const ROUNDS = rounds({ suite: 6, ci: process.env[TALLY_FILE] === undefined ? 14 : 30 });
/** A store is looked through after so many lives, and begun anew after so many, as what is looked through grows. */
const LIVES_PER_LOOK = 20;
const LIVES_PER_STORE = 200;
const CALLERS = 16;
const SEED = testSeed();
const random = new Random(SEED);

class Lives {
  readonly ledger: Ledger = emptyLedger();
  readonly #file: string;
  readonly #key: string;
  /** How long a start takes here: of the last one that came to its end. */
  #startMs = 1000;
  killedStarts = 0;

  constructor(file: string, key: string) {
    this.#file = file;
    this.#key = key;
  }

  /** It is killed at a moment of its start; a start that was faster than that is killed while it serves without callers. */
  async endInStart(): Promise<void> {
    const ms = random.below(Math.ceil(1.1 * this.#startMs));
    const started = await startProcess(this.#file, {}, [], [], (pid) => {
      setTimeout(() => {
        process.kill(pid, 'SIGKILL');
        tally({ kills: 1 });
      }, ms);
    }).catch((error: unknown) => {
      expect(String(error)).toContain('ended SIGKILL');
      return null;
    });
    if (started === null) this.killedStarts++;
    else expect(await started.exited).toBe('SIGKILL');
  }

  /** It serves callers, who hear nothing of its end. */
  async endUnderCallers(name: string): Promise<void> {
    const node = await startProcess(this.#file);
    this.#startMs = node.startMs;
    const load = Array.from({ length: CALLERS }, (_, caller) =>
      drive(node, this.#key, this.ledger, `${name}c${caller}`),
    );
    await new Promise((resolve) => setTimeout(resolve, 60 + random.below(240)));
    await node.end('SIGKILL');
    await Promise.all(load);
  }

  async look(): Promise<void> {
    const node = await startProcess(this.#file);
    await verify(node, this.#key, this.ledger);
    expect(await node.end('SIGTERM')).toBe(0);
  }
}

/** Gives how many writes were acknowledged, all of which are there. */
async function liveThrough(count: number): Promise<{ readonly acknowledged: number; readonly killedStarts: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-starts-'));
  try {
    const prepared = await startTestNode({ dir });
    const key = prepared.serviceKey;
    await prepared.stop();
    const lives = new Lives(writePlatformFile(dir), key);
    for (let life = 0; life < count; life++) {
      if (life % 2 === 0) await lives.endUnderCallers(`l${life}`);
      else await lives.endInStart();
      if (life % LIVES_PER_LOOK === LIVES_PER_LOOK - 1 || life === count - 1) await lives.look();
    }
    verifySubmissions(join(dir, 'data', 'intake', 'jsonl'), lives.ledger);
    const acknowledged = lives.ledger.created.size + lives.ledger.submitted.size;
    tally({ acknowledged });
    return { acknowledged, killedStarts: lives.killedStarts };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

test(`no acknowledged write is lost in ${ROUNDS} lives, seed ${SEED}`, within(60_000 + ROUNDS * 10_000), async () => {
  let [acknowledged, killedStarts] = [0, 0];
  for (let left = ROUNDS; left > 0; left -= LIVES_PER_STORE) {
    const done = await liveThrough(Math.min(left, LIVES_PER_STORE));
    acknowledged += done.acknowledged;
    killedStarts += done.killedStarts;
  }
  // The run has reached what it is for.
  expect(acknowledged).toBeGreaterThan(ROUNDS);
  expect(killedStarts).toBeGreaterThan(0);
  console.log(
    `SKEP_TEST_SEED=${SEED} ${ROUNDS} lives: ${killedStarts} ended in their start; ${acknowledged} writes acknowledged`,
  );
});
