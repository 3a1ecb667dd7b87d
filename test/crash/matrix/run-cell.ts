/** A cell, or several at once: a copy of the site is served while their calls are hit, under clients; then it starts again without a fault, and everything is looked for. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import { violations } from '#test/crash/images/facts.ts';
import type { Judge } from '#test/crash/images/judge.ts';
import { Ledger } from '#test/crash/images/ledger.ts';
import { runLoad } from '#test/crash/images/load.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { exchange, positionHeaders, untilWhole, type Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import type { Cell } from './cells.ts';
import { Injector } from './injector.ts';
import { Acknowledged, missingOf, runMore } from './more-clients.ts';
import { copyOf, FILES, type MatrixSite } from './sites.ts';

const ROUNDS = 2;
/** Clients that come one after the other, with a backup behind each, while a fault waits for a call that has not come yet. */
const CLIENTS = ['a', 'b', 'c', 'd'];
/** The kind of file that an idle journal writes. */
const OF_IDLE = 'journal mark';
/** A cell takes some seconds. */
const HANGS_MS = 90_000;
/** What a node ends with over a fault: while it starts (2: over its platform file), and when it serves (docs/contract/common.md §8.2). */
const START_CODES = [1, 2, 70];
const SERVED_CODES = [0, 70];
/** LMDB-js frees what it holds twice where its own opening fails, and the process ends with one of these (docs/decisions/storage.md ST-43). */
const isOfLmdb = (hits: Injector['hits'], how: string): boolean =>
  ['SIGSEGV', 'SIGABRT'].includes(how) && [...hits.values()].some((path) => path.endsWith('.mdb'));

/** LMDB's own line of a write that failed: behind it lmdb-js writes past 100 bytes of its heap, which may end the process before the node does (ST-52). */
const LMDB_WRITE_FAILED = /Write error: .* position \d+, size \d+/;

const CUT = /^fetch failed$|ECONNRESET|ECONNREFUSED|socket hang up|^terminated$/;

export interface CellResult {
  /** The paths that were hit, by their cells; missing where the node made fewer such calls. */
  readonly hits: ReadonlyMap<Cell, string>;
  /** How the node under the fault ended. */
  readonly how: string;
  /** What was refused: status and code. */
  readonly refusals: readonly string[];
  readonly acknowledged: number;
  /** None where all is well. */
  readonly violations: readonly string[];
}

export interface Place {
  readonly library: string;
  /** Where the copies lie. */
  readonly scratch: string;
  readonly judge: Judge;
}

export class CellRun {
  readonly #site: MatrixSite;
  readonly #file: string;
  readonly #ledger = new Ledger();
  readonly #more = new Acknowledged();
  readonly refusals = new Set<string>();
  readonly violations: string[] = [];

  constructor(site: MatrixSite, file: string) {
    this.#site = site;
    this.#file = file;
  }

  get acknowledged(): number {
    const acts = (['item', 'envelope', 'submission', 'record', 'asset'] as const).flatMap((act) => [
      ...this.#ledger.of(act).values(),
    ]);
    return acts.filter(({ isAnswered }) => isAnswered).length + this.#more.count;
  }

  /** Serves with the fault; gives how that ended. */
  async underFault(injector: Injector, isIdle: boolean): Promise<string> {
    const env = { ...injector.env, SKEP_PORT_BASE: String(await freePortBase()) };
    let node: ProcessNode;
    try {
      node = await startProcess(this.#file, env);
    } catch (error) {
      const [, how = String(error)] = /^ended (\S+):/.exec((error as Error).message) ?? [];
      if (!START_CODES.includes(Number(how)) && !isOfLmdb(injector.hits, how))
        this.violations.push(`the start ended with ${(error as Error).message}`);
      return `did not start: ${how}`;
    }
    let isGone = false;
    void node.exited.then(() => (isGone = true));
    const hangs = setTimeout(() => {
      this.violations.push(`it hangs: ${node.logged()}`);
      void node.end('SIGKILL');
    }, HANGS_MS);
    try {
      for (const name of CLIENTS) {
        await this.work(node, name, ROUNDS, true).catch((error: Error) => this.#judge(error));
        // Without a node the command would take the backup by itself.
        if (!isGone) await skep(`backup now -f ${this.#file}`);
        // An idle journal says how far it is durable.
        if (isIdle && !isGone) await passed(2 * limits.storage.journalMarkMs);
        if (isGone || injector.isDone) break;
      }
      const endedItself = isGone;
      const how = await node.end('SIGTERM').catch((error: Error) => error.message);
      const isBrokenHeap = isOfLmdb(injector.hits, String(how)) && LMDB_WRITE_FAILED.test(node.stderr());
      if (!SERVED_CODES.includes(Number(how)) && !isBrokenHeap)
        this.violations.push(`it ended with ${how}: ${node.stderr()}${node.logged()}`);
      return endedItself ? `ended by itself: ${how}` : `went on, and ended: ${how}`;
    } finally {
      clearTimeout(hangs);
    }
  }

  /** A request that got no answer, since the node has ended, is none of its faults. */
  #judge(error: Error): void {
    if (CUT.test(error.message)) return;
    if (error.message.startsWith('exchange: ')) this.refusals.add(error.message);
    else this.violations.push(`undeclared: ${error.message}`);
  }

  /** All clients at once, so many rounds; rejects with an answer that is not declared, and without `mayRefuse` with any refusal. */
  async work(node: ProcessNode, name: string, rounds: number, mayRefuse: boolean): Promise<void> {
    const headers = await this.#headers(node);
    const refused = ({ status, text }: { readonly status: number; readonly text: string }): void => {
      const code = /"code":"([^"]+)"/.exec(text)?.[1] ?? text.slice(0, 80);
      if (!mayRefuse) throw new Error(`${status} ${text}`);
      this.refusals.add(`${status} ${code}`);
    };
    const runs = [
      runLoad(node, {
        serviceKey: this.#site.serviceKey,
        rounds,
        name,
        hasAudit: this.#site.name === 'plain',
        note: (note) => this.#ledger.add(note),
        ...(mayRefuse && { refused }),
      }),
      runMore({ node, headers, rounds, name, acknowledged: this.#more, refused }),
    ];
    await Promise.allSettled(runs);
    await Promise.all(runs);
  }

  async #headers(node: ProcessNode): Promise<Headers> {
    const token = await exchange(node.listeners['gateway']!, this.#site.serviceKey);
    return { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
  }

  /** Starts without a fault, serves, and has everything. */
  async afterwards(dataDir: string, judge: Judge): Promise<void> {
    const env = { SKEP_PORT_BASE: String(await freePortBase()) };
    const node = await startProcess(this.#file, env);
    try {
      await untilWhole(node);
      await this.work(node, 'z', 1, false);
      this.violations.push(...(await missingOf(this.#more, node, await this.#headers(node))));
      await this.#verifiesBackups(join(dataDir, '..', 'backups', 'sets'));
    } finally {
      // What was acknowledged after the fault must outlive a kill, too; the judge recovers it.
      await node.end('SIGKILL');
    }
    const facts = await judge.recover(dataDir);
    // Those of test/crash/images have titles; others are looked for over HTTP.
    const assets = facts.assets.filter(([title]) => title !== null);
    this.violations.push(...violations({ ...facts, assets }, this.#ledger));
  }

  async #verifiesBackups(sets: string): Promise<void> {
    if (!existsSync(sets) || readdirSync(sets).length === 0) return;
    const { code, out, err } = await skep(`backup verify -f ${this.#file}`);
    if (code !== 0) this.violations.push(`a backup that is there does not verify: ${out}${err}`);
  }
}

/** `cells`: of one site. */
export async function runTogether(
  site: MatrixSite,
  cells: readonly Cell[],
  { library, scratch, judge }: Place,
): Promise<CellResult> {
  const own = mkdtempSync(join(scratch, 'cell-'));
  try {
    const place = join(own, FILES);
    mkdirSync(place);
    const run = new CellRun(site, copyOf(site, place));
    const injector = new Injector(library, own, place, cells);
    const isIdle = cells.some(({ kind }) => kind === OF_IDLE);
    const how = await run.underFault(injector, isIdle);
    const hits = new Map([...injector.hits].map(([at, path]) => [cells[at]!, path]));
    run.violations.push(...injector.strange.map((text) => `a file of no kind: ${text}`));
    await run.afterwards(join(place, 'data'), judge).catch((error: Error) => {
      run.violations.push(`the start without a fault: ${error.message}`);
    });
    const { acknowledged, violations: found } = run;
    return { hits, how, refusals: [...run.refusals], acknowledged, violations: found };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
