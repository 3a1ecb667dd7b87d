/** What a case gets, and how cases run one after another: servers on demand, everything ended and removed at the end. */
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELLO, startCeiling, type Ceiling } from './kit/ceiling.ts';
import { exchangeToken } from './kit/dev-file.ts';
import type { Figure } from './kit/figure.ts';
import { measureFsync, type FsyncRate } from './kit/fsync-rate.ts';
import { describeMachine, type Machine } from './kit/machine.ts';
import type { Options } from './kit/options.ts';
import { freePortBase } from './kit/ports.ts';
import type { Failure, RunReport } from './kit/report.ts';
import { startServer, type Server, type ServerOptions } from './kit/server.ts';
import { median } from './kit/stats.ts';
import { runWrk } from './kit/wrk.ts';

export interface BenchCase {
  readonly name: string;
  /** One line for the usage table. */
  readonly measures: string;
  /** What it should reach, in words; '' when nothing is promised. */
  readonly target: string;
  /** Whether it talks to a running server. */
  readonly http: boolean;
  /** About how long it takes, without the server's first start. */
  seconds(options: Options): number;
  run(bench: Bench): Promise<readonly Figure[]>;
}

const FSYNC_MS = 1000;
const HELLO_SECONDS = 2;
const HELLO_CONNECTIONS = 64;
/** Tokens live 15 minutes; no measured run may outlive one. */
const TOKEN_MS_MAX = 5 * 60_000;
/** First start of a server on a new data directory: it provisions and loads the demo's data. */
export const FIRST_START_SECONDS = 30;

export class Bench {
  readonly options: Options;
  readonly machine: Machine;
  readonly fsync: FsyncRate;
  readonly dataDir: string;
  /** Where the threads of every server leave their CPU profiles, if they do. */
  readonly profileDir: string | undefined;
  readonly #portBase: number;
  readonly #log: (text: string) => void;
  /** Rates of every run of the ceiling. */
  readonly #hellos: number[] = [];
  #server: Promise<Server> | null = null;
  #ceiling: Promise<Ceiling> | null = null;
  #token = { text: '', at: -Infinity };
  #closed = false;

  constructor(options: Options, place: BenchPlace, log: (text: string) => void) {
    this.options = options;
    this.dataDir = place.dataDir;
    this.#portBase = place.portBase;
    this.profileDir = place.profileDir;
    this.#log = log;
    this.machine = describeMachine(this.dataDir, new Date());
    this.fsync = measureFsync(this.dataDir, FSYNC_MS);
  }

  /** Prints what happens now, for people that watch the run. */
  log(text: string): void {
    this.#log(`${text}\n`);
  }

  /** How every server of this run is started. */
  serverOptions(): ServerOptions {
    const { dataDir, profileDir } = this;
    return { dataDir, portBase: this.#portBase, hosts: this.options.hosts, profileDir };
  }

  /** The server that the HTTP cases share, started by the first that asks. */
  server(): Promise<Server> {
    if (this.#closed) return Promise.reject(new Error('the bench has ended'));
    this.#server ??= startServer(this.serverOptions());
    return this.#server;
  }

  async stopServer(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await (await server?.catch(() => null))?.stop();
  }

  /** The raw hello. */
  ceiling(): Promise<Ceiling> {
    if (this.#closed) return Promise.reject(new Error('the bench has ended'));
    this.#ceiling ??= startCeiling();
    return this.#ceiling;
  }

  /** Measures the hello where no case has held itself against it. */
  async helloOnce(): Promise<void> {
    if (this.#hellos.length > 0) return;
    this.log('hello: the raw ceiling, beside which nothing was measured …');
    const { threads, seconds = HELLO_SECONDS, connections = HELLO_CONNECTIONS } = this.options;
    const { url } = await this.ceiling();
    const run = { url, request: HELLO, connections, threads, seconds: Math.min(seconds, HELLO_SECONDS) };
    const measured = await runWrk(run).catch((error: unknown) => this.log((error as Error).message));
    if (measured !== undefined) this.noteHello(measured.perSecond);
  }

  noteHello(perSecond: number): void {
    this.#hellos.push(perSecond);
  }

  /** A token with some minutes left, from the demo's service key. */
  async token(): Promise<string> {
    if (performance.now() - this.#token.at > TOKEN_MS_MAX) {
      const { dev } = await this.server();
      this.#token = { text: await exchangeToken(dev), at: performance.now() };
    }
    return this.#token.text;
  }

  /** Ends what runs; nothing starts any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#ceiling?.catch(() => null))?.stop();
    await this.stopServer();
  }

  report(figures: readonly Figure[], failures: readonly Failure[]): RunReport {
    const { machine, fsync, options } = this;
    const ceiling = this.#hellos.length === 0 ? null : median(this.#hellos);
    return { machine, fsync, ceiling, settings: { ...options }, figures, failures };
  }
}

export interface BenchPlace {
  readonly dataDir: string;
  readonly portBase: number;
  readonly profileDir?: string | undefined;
}

/** Runs the cases in order; one that throws is a failure of its own and does not stop the next. */
export async function runCases(cases: readonly BenchCase[], bench: Bench): Promise<RunReport> {
  const figures: Figure[] = [];
  const failures: Failure[] = [];
  for (const one of cases) {
    bench.log(`${one.name}: ${one.measures} …`);
    try {
      for (const figure of await one.run(bench)) figures.push({ ...figure, case: one.name });
    } catch (error) {
      failures.push({ case: one.name, message: (error as Error).message });
    }
  }
  // wrk and h2load run as children: where they did, the run says what the machine can do.
  if (figures.some(({ serverCores }) => serverCores !== undefined)) await bench.helloOnce();
  return bench.report(figures, failures);
}

/** Makes the bench's place, runs `work` in it, and puts everything back, also when it is interrupted. */
export async function withBench<T>(
  options: Options,
  profileDir: string | undefined,
  log: (text: string) => void,
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  const temporary = options.data === undefined;
  const dataDir = options.data ?? (await mkdtemp(join(tmpdir(), 'skep-bench-')));
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const bench = new Bench(options, { dataDir, portBase: await freePortBase(), profileDir }, log);
  const end = async (): Promise<void> => {
    try {
      await bench.close();
    } finally {
      if (temporary && !options.keep) await rm(dataDir, { recursive: true, force: true });
      else log(`data left in ${dataDir}\n`);
    }
  };
  const interrupted = (): void => void end().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work(bench);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await end();
  }
}

/** Estimated seconds of a whole run. */
export function estimate(cases: readonly BenchCase[], options: Options): number {
  const start = cases.some(({ http }) => http) ? FIRST_START_SECONDS : 0;
  return cases.reduce((sum, one) => sum + one.seconds(options), start + FSYNC_MS / 1000);
}
