/**
 * Random turns, snapshots, scans, lagging LMDB, full overlays, restarts and crashes, on the archive and on plain memory.
 * SKEP_MODEL_STEPS sets the number of steps, SKEP_TEST_SEED repeats a run.
 */
import { expect, it } from 'vitest';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { place } from './place.ts';
import { compareScan, STORES, World, type Pair, type ScanRange, type SnapshotPair } from '#test/storage/model/world.ts';

const STEPS = rounds({ suite: 3000, ci: 6000 }, 'SKEP_MODEL_STEPS');
const SEED = testSeed();
const ROWS = 24;
const SNAPSHOTS_MAX = 3;

class Walk {
  readonly #random: Random;
  readonly #world: World;
  #snapshots: SnapshotPair[] = [];

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  async step(): Promise<void> {
    const random = this.#random;
    const dice = random.next();
    if (dice < 0.62) this.#turn();
    else if (dice < 0.74) await this.#world.follow(() => this.#turns(random.below(4)));
    else if (dice < 0.8) await this.#world.sync();
    else if (dice < 0.84) await new Promise((resolve) => setImmediate(resolve));
    else if (dice < 0.88) this.#openSnapshot();
    else if (dice < 0.985) this.#readSnapshot();
    else if (dice < 0.998) await this.#end(() => this.#world.crash());
    else await this.#end(() => this.#world.restart());
  }

  async #end(how: () => Promise<void>): Promise<void> {
    for (const snapshot of this.#snapshots.splice(0)) snapshot.real.close();
    await how();
  }

  #turns(count: number): void {
    for (let i = 0; i < count; i++) this.#turn();
  }

  #turn(): void {
    const random = this.#random;
    const pair = this.#world.begin(random.below(STORES));
    for (let actions = 1 + random.below(5); actions > 0; actions--) this.#act(pair);
    if (random.chance(0.08)) return this.#world.abort(pair);
    this.#world.commit(pair);
    if (random.chance(0.2)) this.#act(pair);
  }

  #act(pair: Pair): void {
    const random = this.#random;
    const id = `r${String(random.below(ROWS)).padStart(2, '0')}`;
    if (random.chance(0.35)) return this.#world.scan(pair, this.#range());
    if (random.chance(0.15)) return this.#remove(pair, id);
    this.#save(pair, id);
  }

  /** A row with a version, a unique name and an index entry: refused when another row has the name. */
  #save(pair: Pair, id: string): void {
    const world = this.#world;
    const name = `n${this.#random.below(ROWS)}`;
    const holder = world.get(pair, `u:${name}`);
    if (holder !== undefined && holder !== id) return;
    const row = world.get(pair, id);
    if (row !== undefined) this.#unindex(pair, id, row);
    const version = row === undefined ? 1 : Number(row.split(',')[0]) + 1;
    const colour = this.#random.pick(['blue', 'green', 'red']);
    world.put(pair, id, [version, name, colour, 'x'.repeat(this.#random.below(300))].join(','));
    world.put(pair, `u:${name}`, id);
    world.put(pair, `i:${colour}:${id}`, '');
  }

  #remove(pair: Pair, id: string): void {
    const row = this.#world.get(pair, id);
    if (row === undefined) return;
    this.#unindex(pair, id, row);
    this.#world.put(pair, id, null);
  }

  #unindex(pair: Pair, id: string, row: string): void {
    const [, name, colour] = row.split(',');
    this.#world.put(pair, `u:${name}`, null);
    this.#world.put(pair, `i:${colour}:${id}`, null);
  }

  #range(): ScanRange {
    const random = this.#random;
    const reverse = random.chance(0.5);
    const count = random.chance(0.5) ? 1 + random.below(6) : 1000;
    if (random.chance(0.3)) return { from: '', to: '\xff', reverse, count };
    const prefix = random.pick(['r', 'u:', 'i:red:', 'i:']);
    const bound = random.chance(0.5) ? '' : random.pick(['r05', 'n1', 'i:green', 'r1']);
    return { from: prefix + (random.chance(0.5) ? '' : bound), to: `${prefix}\x7f`, reverse, count };
  }

  #openSnapshot(): void {
    if (this.#snapshots.length === SNAPSHOTS_MAX) this.#snapshots.shift()!.real.close();
    this.#snapshots.push(this.#world.snapshot(this.#random.below(STORES)));
  }

  #readSnapshot(): void {
    if (this.#snapshots.length === 0) return;
    const { real, model } = this.#random.pick(this.#snapshots);
    compareScan(real, model, this.#range());
    const key = `r${String(this.#random.below(ROWS)).padStart(2, '0')}`;
    expect(real.get(key)?.length).toBe(model.get(key)?.length);
  }
}

it(`the archive does what memory does (${STEPS} steps, seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const random = new Random(SEED);
  const world = new World(place(), random);
  await world.open();
  const walk = new Walk(world, random);
  for (let step = 0; step < STEPS; step++) {
    try {
      await walk.step();
    } catch (error) {
      throw new Error(`SKEP_TEST_SEED=${SEED}, step ${step}`, { cause: error });
    }
  }
  await world.end();
  console.info(`model: seed ${SEED}, ${JSON.stringify(world.seen)}`);
  const { crashes, full, commits } = world.seen;
  if (STEPS >= 5000) expect(Math.min(crashes, full, commits)).toBeGreaterThan(0);
});
