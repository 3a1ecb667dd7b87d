/** Runs the commands of a page as a reader would: in an empty directory, with `skep` in PATH, the node in a terminal of its own. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { PORT_ORDER } from '#config/defaults.ts';
import { ownFolder, root } from './demo-process.ts';
import { freePortBase } from './free-port.ts';
import { before, blocksOf, difference, linesOf, type Block } from './page-commands.ts';
import { openShell, type Shell } from './tour.ts';

/** The ports that pages name, by listener. */
const PRINTED: Readonly<Partial<Record<(typeof PORT_ORDER)[number], number>>> = {
  gateway: 8080,
  operations: 9098,
  intake: 8081,
  vault: 7999,
};

/** Runs them all; the first that fails or prints other lines than the page fails the test. `fill`: puts files into the folder beforehand. */
export async function runCommands(
  blocks: readonly Block[],
  fill: (folder: string) => void = () => undefined,
): Promise<void> {
  const terminals = new Terminals(ownFolder(), await freePortBase());
  onTestFinished(() => terminals.stop());
  fill(terminals.folder);
  for (const block of blocks) await terminals.run(block);
}

/**
 * Runs the pages of one test file. A page that others go on from is run once; each of them begins with its files, the names in its shell, and the
 * node that it started, in the same folder.
 */
export class PageRuns {
  /** By the path of a page that others go on from. */
  readonly #ends = new Map<string, Promise<PageEnd>>();

  /** Runs the commands of a page; the first that fails or prints other lines than the page fails the test. */
  async run(file: string): Promise<void> {
    const page = readFileSync(file, 'utf8');
    const earlier = before(page);
    if (earlier === null) return this.#ends.has(file) ? void (await this.#endOf(file)) : runCommands(blocksOf(page));
    const terminals = await this.#resumed(await this.#endOf(join(dirname(file), earlier)));
    for (const block of blocksOf(page)) await terminals.run(block);
  }

  /** Removes what the pages left. */
  async close(): Promise<void> {
    for (const end of await Promise.allSettled(this.#ends.values()))
      if (end.status === 'fulfilled') rmSync(end.value.home, { recursive: true, force: true });
  }

  #endOf(file: string): Promise<PageEnd> {
    let end = this.#ends.get(file);
    if (end === undefined) this.#ends.set(file, (end = this.#runToEnd(file)));
    return end;
  }

  async #runToEnd(file: string): Promise<PageEnd> {
    const home = mkdtempSync(join(tmpdir(), 'skep-page-'));
    const base = await freePortBase();
    const terminals = new Terminals(home, base);
    onTestFinished(() => terminals.stop());
    for (const block of blocksOf(readFileSync(file, 'utf8'))) await terminals.run(block);
    const names = await terminals.names();
    const { serving } = terminals;
    await terminals.stop();
    renameSync(terminals.folder, join(home, KEPT));
    return { home, base, names, serving };
  }

  async #resumed({ home, base, names, serving }: PageEnd): Promise<Terminals> {
    rmSync(join(home, FOLDER), { recursive: true, force: true });
    execFileSync('cp', ['-a', join(home, KEPT), join(home, FOLDER)]);
    const terminals = new Terminals(home, base);
    onTestFinished(() => terminals.stop());
    await terminals.resume(names, serving);
    return terminals;
  }
}

/** What a page left behind for those that go on from it. */
interface PageEnd {
  /** The folder of its terminals; its files are kept in a copy. */
  readonly home: string;
  readonly base: number;
  /** Variables and functions of its shell, as text that sets them again. */
  readonly names: string;
  /** The command of the node that ran at its end. */
  readonly serving: string | null;
}

const FOLDER = 'desk';
const NAMES = '.names.sh';
const KEPT = 'desk.end';

class Terminals {
  readonly folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #shell: Shell;
  readonly #ports: ReadonlyMap<string, string>;
  #node: ChildProcess | null = null;
  #serving: string | null = null;

  constructor(home: string, base: number) {
    const bin = join(home, '.bin');
    mkdirSync(bin, { recursive: true });
    rmSync(join(bin, 'skep'), { force: true });
    symlinkSync(join(root, 'runtime/cli/skep'), join(bin, 'skep'));
    const PATH = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
    this.#env = { PATH, SKEP_PORT_BASE: String(base), HOME: home, SKEP_CONSOLE: 'off' };
    this.folder = join(home, FOLDER);
    mkdirSync(this.folder, { recursive: true });
    this.#shell = openShell(this.folder, this.#env);
    this.#ports = new Map(
      Object.entries(PRINTED).flatMap(([name, port]) => {
        const moved = base + PORT_ORDER.indexOf(name as (typeof PORT_ORDER)[number]);
        return ['127.0.0.1', 'localhost'].map((host) => [`${host}:${port}`, `${host}:${moved}`] as const);
      }),
    );
  }

  /** The command of the node that runs. */
  get serving(): string | null {
    return this.#node === null ? null : this.#serving;
  }

  async run(block: Block): Promise<void> {
    if (block.how !== 'run') await this.stop();
    if (block.how === 'serve') await this.#serve(block.text);
    else await this.#type(block);
  }

  /** Variables and functions that the commands so far have made in the shell, as text that makes them again. */
  async names(): Promise<string> {
    const { output } = await this.#shell.run("declare -p | grep '^declare -- [A-Za-z]'; declare -f");
    return output;
  }

  async resume(names: string, serving: string | null): Promise<void> {
    writeFileSync(join(this.folder, NAMES), names);
    const { code, output } = await this.#shell.run(`. ./${NAMES} 2>&1; rm ${NAMES}`);
    expect(code, output).toBe(0);
    if (serving !== null) await this.#serve(serving);
  }

  async #type(block: Block): Promise<void> {
    const { code, output } = await this.#shell.run(this.#moved(block.text));
    const printed = this.#moved(output, true);
    expect(code, `${block.text}\n${printed}`).toBe(0);
    const other = block.expected === null ? null : difference(linesOf(printed), block.expected);
    expect(other, `${block.text}\n${printed}`).toBe(null);
  }

  /** With the ports of this run in place of those that the page names, or `back`. */
  #moved(text: string, back = false): string {
    let out = text;
    for (const [page, run] of this.#ports) out = back ? out.replaceAll(run, page) : out.replaceAll(page, run);
    return out;
  }

  /** As in a terminal, the command has a group of processes of its own, which Ctrl-C reaches whole. */
  async #serve(command: string): Promise<void> {
    this.#serving = command;
    const node = spawn('bash', ['-c', command], {
      cwd: this.folder,
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#node = node;
    let output = '';
    for (const stream of [node.stdout, node.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    const ended = once(node, 'close').then(() => Promise.reject(new Error(`the node ended: ${output}`)));
    const serves = new Promise<void>((resolve) => {
      createInterface({ input: node.stdout }).on('line', (line) => {
        if (line.includes('"msg":"serving"') || line.endsWith('Ctrl-C ends it.')) resolve();
      });
    });
    await Promise.race([serves, ended]);
    ended.catch(() => undefined);
  }

  /** Ctrl-C, and its end. */
  async stop(): Promise<void> {
    const node = this.#node;
    this.#node = null;
    if (node === null || node.exitCode !== null || node.signalCode !== null) return;
    process.kill(-node.pid!, 'SIGINT');
    await once(node, 'close');
  }
}
