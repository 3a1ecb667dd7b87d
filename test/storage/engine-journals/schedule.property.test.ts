/** Owners over the log engine in memory, under lost answers, late requests, cancelled waits and takeovers of the database: what was acknowledged is in the log, and every disk comes to the log's state. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { KEPT_RULES, type MemoryRules } from '#test/storage/log-engine/memory-statements.ts';
import { CALM, MemoryLog } from '#test/storage/log-engine/memory.ts';
import { OutcomeUnknown, type LogEngine, type LogEntry } from '#storage/log-engine/port.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { changed } from './kit.ts';
import { audit, Ledger, Owner } from './owner.ts';

const SEEDS = rounds({ suite: 40, ci: 500 });
/** Seeds in which a planted fault must show. */
const PLANTED_SEEDS = 500;
const SHARDS = 2;
const STEPS = 100;
const ENTRY_BYTES_MAX = 160;

type Plant = (engine: LogEngine) => Partial<LogEngine>;

const nothing: Plant = () => ({});

async function run(
  seed: number,
  rules: MemoryRules,
  plant: Plant,
  seal: LogSeal | null = null,
  nonces = new Map<string, string>(),
): Promise<{ ledger: Ledger; log: MemoryLog }> {
  const random = new Random(seed);
  const often = random.below(3);
  const chances = {
    answerLost: 0.04 * often,
    requestLost: 0.03 * often,
    requestLate: 0.04 * often,
    waitCancelled: 0.1 * random.below(3),
    takeOver: 0.02 * random.below(4),
    standbySlow: 0.45 * random.below(3),
  };
  const log = new MemoryLog({ shards: SHARDS, random: () => random.next(), chances, rules });
  const ledger = new Ledger();
  ledger.seal = seal;
  const connect = (): LogEngine => {
    const engine = seal === null ? log.connect() : sealedOnce(log.connect(), nonces, ledger);
    return changed(engine, { entryBytesMax: ENTRY_BYTES_MAX, ...plant(engine) });
  };
  const owners = ['a', 'b'].map((name) => new Owner(name, SHARDS, ledger, random, connect));
  const standby = new Owner('standby', SHARDS, ledger, random, connect);
  await Promise.all([...owners.map((owner) => owner.run(STEPS)), standby.follows(STEPS)]);
  log.chances = CALM;
  await log.settled();
  const empty = new Owner('auditor', SHARDS, ledger, random, connect);
  await empty.open(() => Promise.resolve());
  empty.crash();
  await audit(ledger, log.connect(), [...owners, standby, empty], SHARDS);
  return { ledger, log };
}

/** Whatever is sent, also in vain: two bodies never have one key and nonce. */
function sealedOnce(engine: LogEngine, nonces: Map<string, string>, { violations }: Ledger): LogEngine {
  return changed(engine, {
    append: (entries: readonly LogEntry[]) => {
      for (const { body, first, seq, shard } of entries.filter((entry) => entry.first > 0)) {
        const sealed = Buffer.from(body).toString('hex');
        // Number of the data key and salt, which make the key with the shard; the nonce is the position.
        const pair = `${shard} ${sealed.slice(4, 44)} ${seq}`;
        if (body[0] !== 2 || (nonces.get(pair) ?? sealed) !== sealed)
          violations.push(`${pair} seals two bodies, ${first}`);
        nonces.set(pair, sealed);
      }
      return engine.append(entries);
    },
  });
}

function add(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

it(`keeps what it acknowledged, in ${SEEDS} schedules`, { timeout: 600_000 }, async () => {
  const sums: Record<string, number> = {};
  for (let n = 0; n < SEEDS; n++) {
    const seed = testSeed() + n;
    const { ledger, log } = await run(seed, KEPT_RULES, nothing, n % 2 === 0 ? null : sealOf(vaultOf(1)));
    expect(ledger.violations, `seed ${seed}`).toEqual([]);
    add(sums, ledger.reached);
    add(sums, log.counts);
  }
  for (const [name, count] of Object.entries(sums)) expect(count, name).toBeGreaterThan(SEEDS / 50);
});

/** An unknown outcome passes for an acknowledgement. */
const hasty: Plant = (engine) => ({
  append: async (entries: readonly LogEntry[]) => {
    try {
      return await engine.append(entries);
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
      return entries.map(() => 'durable' as const);
    }
  },
});

/** An owner that lost its shard goes on. */
const deaf: Plant = (engine) => ({
  append: async (entries: readonly LogEntry[]) => (await engine.append(entries)).map(() => 'durable' as const),
});

const without = (rule: keyof MemoryRules): MemoryRules => ({ ...KEPT_RULES, [rule]: false });

it.each([
  { fault: 'an unknown outcome counts', plant: hasty, rules: KEPT_RULES },
  { fault: 'a lost shard counts', plant: deaf, rules: KEPT_RULES },
  { fault: 'a cancelled wait counts', plant: nothing, rules: without('doubtsCancelledWaits') },
  { fault: 'a standby takes what is not confirmed', plant: nothing, rules: without('hidesUnconfirmed') },
  { fault: 'an entry goes in at any place', plant: nothing, rules: without('comparesPosition') },
])('notices when $fault', { timeout: 600_000 }, async ({ plant, rules }) => {
  let found = 0;
  for (let n = 0; n < PLANTED_SEEDS && found === 0; n++)
    found = (await run(testSeed() + n, rules, plant)).ledger.violations.length;
  expect(found).toBeGreaterThan(0);
});

it('seals nothing twice under one key and nonce, also where the database is put back to its beginning; without a salt it does', async () => {
  const twice = async (random: (bytes: number) => Buffer): Promise<readonly string[]> => {
    const seal = sealOf(vaultOf(1), { random });
    const nonces = new Map<string, string>();
    const runs = [0, 1, 2].map((n) => run(testSeed() + n, KEPT_RULES, nothing, seal, nonces));
    return (await Promise.all(runs)).flatMap(({ ledger }) => ledger.violations);
  };
  expect(await twice(randomBytes)).toEqual([]);
  expect((await twice((bytes) => Buffer.alloc(bytes))).join()).toContain('seals two bodies');
});
