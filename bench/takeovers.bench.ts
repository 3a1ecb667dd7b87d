/** How long callers wait while one node takes the place of another on a log in a PostgreSQL pair: where the one that served was killed, and where it hands over. All of it shares the machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import { handOver } from '#runtime/cluster/hand-over.ts';
import { NodePair } from '#test/kit/node-pair.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { duration } from './kit/format.ts';
import { median, timesOf } from './kit/stats.ts';
import { TakeoverClients, type Pause, type Tenant } from './kit/takeover-clients.ts';

const TIMES = 5;
const SHARDS = 8;
const LEASE_MS = 3000;
const KILLED_MS_MAX = LEASE_MS + 4000;
const HANDED_MS_MAX = 500;
/** Behind it a takeover has failed. */
const SERVED_MS_MAX = 120_000;
/** A standby lacks the newest entries of each shard while rows are written. */
const BEHIND_MAX = 1_000_000;
const START_SECONDS = 20;
const ROUND_SECONDS = 12;

/** One in each shard: their numbers follow one another. */
const TENANTS = Array.from({ length: SHARDS }, (_, no) => `acme:shop:dev:caller${no}`);

/** A node that took the place a moment ago loads its spare thread, which would count. */
const RESTED_MS = limits.host.spareAfterMs + 10_000;

/** Two nodes, of which one serves and one waits, under clients. */
class Rounds {
  readonly #pair: NodePair;
  readonly #clients: TakeoverClients;
  readonly #pids: number[];
  #serving = 0;
  /** Since the last takeover. */
  #rests: Promise<unknown> = Promise.resolve();

  private constructor(pair: NodePair, pids: number[]) {
    this.#pair = pair;
    this.#pids = pids;
    const tenants: Tenant[] = [...pair.keys].map(([name, key]) => ({ name, key }));
    const [one, two] = pair.machines;
    this.#clients = new TakeoverClients([one.gateway, two.gateway], tenants, 0);
  }

  static async start(pair: NodePair): Promise<Rounds> {
    const [one, two] = pair.machines;
    const first = await pair.serve(one);
    const { pid } = await pair.standby(two);
    return new Rounds(pair, [first.pid, pid]);
  }

  /** The node that serves is killed, and started again as the standby when the other one serves. */
  async kill(): Promise<Pause> {
    const killed = this.#serving;
    const pause = await this.#takenOver(() => Promise.resolve(void process.kill(this.#pids[killed]!, 'SIGKILL')));
    this.#pids[killed] = (await this.#pair.standby(this.#pair.machines[killed]!)).pid;
    return pause;
  }

  async handOver(): Promise<Pause> {
    await this.#rests;
    const platform = platformOf(this.#pair.machines[0].file);
    return this.#takenOver(() => handOver(platform, null));
  }

  /** Ends the clients. */
  async end(): Promise<{ readonly acknowledged: number; readonly lost: number }> {
    await this.#clients.stop();
    return { acknowledged: this.#clients.acknowledged, lost: await this.#clients.lost() };
  }

  async #takenOver(begin: () => Promise<unknown>): Promise<Pause> {
    const heir = 1 - this.#serving;
    await this.#clients.servedBy(this.#serving, SERVED_MS_MAX);
    await this.#pair.followed(this.#pair.machines[heir]!, BEHIND_MAX, SERVED_MS_MAX);
    await this.#pair.ready(this.#pair.machines[heir]!);
    this.#clients.begin();
    const [pause] = await Promise.all([this.#clients.servedBy(heir, SERVED_MS_MAX), begin()]);
    this.#serving = heir;
    this.#rests = sleep(RESTED_MS, undefined, { ref: false });
    return pause;
  }
}

function figureOf(name: string, pauses: readonly Pause[], max: number, errors: number, note: string): Figure {
  const runs = pauses.map(({ ms }) => ms);
  const longest = `max ${duration(Math.max(...runs))} of ${runs.length}; ${note}`;
  const target = { of: 'p99Ms', bound: 'max', than: max } as const;
  return {
    name: `takeovers, ${name}`,
    unit: 'ms',
    value: median(runs),
    ...timesOf(runs),
    runs,
    errors,
    target,
    note: longest,
  };
}

const refused = (pauses: readonly Pause[]): number => pauses.reduce((sum, pause) => sum + pause.refused, 0);

export const takeovers: BenchCase = {
  name: 'takeovers',
  measures: 'until every shard answers a write and a read again: the node that serves a log is killed, or hands over',
  target: `killed: p99 ≤ ${KILLED_MS_MAX / 1000} s (lease ${LEASE_MS / 1000} s), handed over: ≤ ${HANDED_MS_MAX} ms, none lost`,
  http: false,
  seconds: ({ times = TIMES }) => START_SECONDS + 2 * times * ROUND_SECONDS,
  async run(bench) {
    const { hosts = 1, times = TIMES } = bench.options;
    if (!hasPostgres) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
    const pair = await NodePair.start({ shards: SHARDS, leaseMs: LEASE_MS, hosts, further: TENANTS, isDurable: true });
    try {
      const rounds = await Rounds.start(pair);
      const killed: Pause[] = [];
      const handed: Pause[] = [];
      for (let no = 1; no <= times; no++) {
        handed.push(await rounds.handOver());
        killed.push(await rounds.kill());
        bench.log(`  ${no}: handed over ${duration(handed.at(-1)!.ms)}, killed ${duration(killed.at(-1)!.ms)}`);
      }
      const { acknowledged, lost } = await rounds.end();
      const rows = `${lost} of ${acknowledged} acknowledged rows lost`;
      const answers = (pauses: readonly Pause[]): string => `${refused(pauses)} answers of 500 and above; ${rows}`;
      return [
        figureOf('handed over', handed, HANDED_MS_MAX, refused(handed) + lost, answers(handed)),
        figureOf('killed', killed, KILLED_MS_MAX, lost, answers(killed)),
      ];
    } catch (error) {
      throw new Error([(error as Error).message, ...pair.ended].join('\n  '), { cause: error });
    } finally {
      await pair.stop();
    }
  },
};
