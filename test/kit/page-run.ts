/** Runs the commands of a page as a reader would: in an empty directory, with `skep` in PATH, the node in a terminal of its own. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { PORT_ORDER } from '#config/defaults.ts';
import { freePortBase, ownFolder, root } from './demo-process.ts';
import { before, blocksOf, difference, linesOf } from './page-commands.ts';
import type { Block } from './page-commands.ts';
import { openShell } from './tour.ts';
import type { Shell } from './tour.ts';

/** The ports that pages name, by listener. */
const PRINTED: Readonly<Partial<Record<(typeof PORT_ORDER)[number], number>>> = {
  gateway: 8080,
  operations: 9098,
  intake: 8081,
};

/** The blocks of a page, behind those of the page that it goes on from. */
export function commandsOf(file: string): Block[] {
  const page = readFileSync(file, 'utf8');
  const earlier = before(page);
  return [...(earlier === null ? [] : commandsOf(join(dirname(file), earlier))), ...blocksOf(page)];
}

/** Runs them all; the first that fails or prints other lines than the page fails the test. `fill`: puts files into the folder beforehand. */
export async function runCommands(
  blocks: readonly Block[],
  fill: (folder: string) => void = () => undefined,
): Promise<void> {
  const terminals = await Terminals.open();
  fill(terminals.folder);
  for (const block of blocks) await terminals.run(block);
}

class Terminals {
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #shell: Shell;
  readonly #ports: ReadonlyMap<string, string>;
  #node: ChildProcess | null = null;

  private constructor(folder: string, base: number) {
    const bin = join(folder, '.bin');
    mkdirSync(bin);
    symlinkSync(join(root, 'runtime/cli/skep'), join(bin, 'skep'));
    const PATH = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
    this.#env = { PATH, SKEP_PORT_BASE: String(base), HOME: folder };
    this.#folder = join(folder, 'desk');
    mkdirSync(this.#folder);
    this.#shell = openShell(this.#folder, this.#env);
    this.#ports = new Map(
      Object.entries(PRINTED).flatMap(([name, port]) => {
        const moved = base + PORT_ORDER.indexOf(name as (typeof PORT_ORDER)[number]);
        return ['127.0.0.1', 'localhost'].map((host) => [`${host}:${port}`, `${host}:${moved}`] as const);
      }),
    );
  }

  static async open(): Promise<Terminals> {
    const terminals = new Terminals(ownFolder(), await freePortBase());
    onTestFinished(() => terminals.#stop());
    return terminals;
  }

  get folder(): string {
    return this.#folder;
  }

  async run(block: Block): Promise<void> {
    if (block.how !== 'run') await this.#stop();
    if (block.how === 'serve') await this.#serve(block.text);
    else await this.#type(block);
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
    const node = spawn('bash', ['-c', command], {
      cwd: this.#folder,
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
  async #stop(): Promise<void> {
    const node = this.#node;
    this.#node = null;
    if (node === null || node.exitCode !== null || node.signalCode !== null) return;
    process.kill(-node.pid!, 'SIGINT');
    await once(node, 'close');
  }
}
