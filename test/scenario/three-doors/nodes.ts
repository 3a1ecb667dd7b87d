/** Three nodes of the demo on one log, each started as docs/how-to/several-doors.md says, in a folder in which the tour's commands work. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { holder, root } from '#test/kit/demo-process.ts';
import { freePort, freePortBase } from '#test/kit/free-port.ts';
import { block, certificates, clusterFile } from './page.ts';

export const NAMES = ['n1', 'n2', 'n3'] as const;
export type Name = (typeof NAMES)[number];

/** Also for the cities, which the first start loads. */
const SOON_MS = 240_000;
/** A node that stands still takes connections and says nothing. */
const SAYS_MS = 1000;
const LOOK_MS = 50;
/** A line of the page that starts a node. */
const STARTED = /^start (n\d) (\d+) (\d+)$/gm;

const exec = promisify(execFile);

/** Of a node that was overtaken. */
const OVERTAKEN = 70;

interface Ports {
  /** The gateway's; the operations listener has the next one. */
  readonly base: number;
  readonly link: number;
}

const serves = (text: string): boolean => text.startsWith('ready:true');

export class DemoNodes {
  readonly folder: string;
  readonly url: string;
  readonly #ports: Readonly<Record<Name, Ports>>;
  readonly #children = new Map<Name, ChildProcess>();

  /** A folder that holds links to the project, the file for the verbs, and certificates. */
  static async make(folder: string, url: string): Promise<DemoNodes> {
    mkdirSync(join(folder, 'link'), { recursive: true });
    for (const name of ['package.json', 'runtime', 'config']) symlinkSync(join(root, name), join(folder, name));
    writeFileSync(join(folder, 'cluster.yaml'), clusterFile);
    execFileSync('bash', ['-ec', certificates], { cwd: join(folder, 'link'), stdio: 'ignore' });
    const nodes = await DemoNodes.in(folder, url);
    await nodes.run(block('in a terminal of its own').replaceAll(STARTED, ''));
    return nodes;
  }

  /** Likewise, on a copy of the log and with what the first node of another folder has. */
  static async copy(from: DemoNodes, folder: string, url: string): Promise<DemoNodes> {
    cpSync(from.folder, folder, { recursive: true, verbatimSymlinks: true });
    return DemoNodes.in(folder, url);
  }

  private static async in(folder: string, url: string): Promise<DemoNodes> {
    const ports: Partial<Record<Name, Ports>> = {};
    for (const name of NAMES) ports[name] = { base: await freePortBase(), link: await freePort() };
    return new DemoNodes(folder, url, ports as Readonly<Record<Name, Ports>>);
  }

  private constructor(folder: string, url: string, ports: Readonly<Record<Name, Ports>>) {
    this.folder = folder;
    this.url = url;
    this.#ports = ports;
  }

  /** Host and port of each gateway. */
  get gateways(): string[] {
    return NAMES.map((name) => `127.0.0.1:${this.#ports[name].base}`);
  }

  /** For every shell and program in the folder. */
  get env(): Readonly<Record<string, string>> {
    return { LOG: this.url, SKEP_CONSOLE: 'off', SKEP_DATA: '' };
  }

  /** Runs commands to their end. Rejects with what they said where one fails. */
  async run(text: string): Promise<void> {
    await exec('bash', ['-ec', text], { cwd: this.folder, env: { ...process.env, ...this.env } });
  }

  /** The others get what they need of the first one, once. */
  async shareSecrets(): Promise<void> {
    await this.run(block('in two more terminals').replaceAll(STARTED, ''));
  }

  start(name: Name): void {
    const { base, link } = this.#ports[name];
    const setup = block('in place of npm start').replace(/^export LOG=.*$/m, '');
    const lines = block('in a terminal of its own') + block('in two more terminals');
    const line = [...lines.matchAll(STARTED)].find(([, of]) => of === name)![0];
    const command = line.replace(STARTED, `start $1 ${base} ${link}`);
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const env = { ...process.env, ...this.env };
    const child = spawn('bash', ['-c', `${setup}\n${command}`], { cwd: this.folder, env, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#children.set(name, child);
  }

  signal(name: Name, signal: NodeJS.Signals): void {
    process.kill(holder(join(this.folder, '.skep', name)), signal);
  }

  /** Resolves with its exit code when it has ended. */
  async ended(name: Name): Promise<number | null> {
    const child = this.#children.get(name)!;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  }

  /** The node that serves, once one does. */
  serving(): Promise<Name> {
    return this.#until('a node serves', async () => {
      for (const name of NAMES) if (serves(await this.#says(name))) return name;
      return null;
    });
  }

  /** One serves, and all others could take its place at once; the one that serves. */
  whole(): Promise<Name> {
    return this.#until('one serves, and the others are ready to', async () => {
      const said = await Promise.all(NAMES.map((name) => this.#says(name)));
      const isReady = (text: string): boolean => text.includes('had all') && text.includes('threads ready');
      return said.filter(isReady).length === 2 ? (NAMES[said.findIndex(serves)] ?? null) : null;
    });
  }

  async otherThan(name: Name): Promise<void> {
    await this.#until(`another node than ${name} serves`, async () => {
      for (const other of NAMES) if (other !== name && serves(await this.#says(other))) return true;
      return null;
    });
  }

  /** What its `/readyz` says; '' while nothing answers there. */
  async #says(name: Name): Promise<string> {
    const signal = AbortSignal.timeout(SAYS_MS);
    return fetch(`http://127.0.0.1:${this.#ports[name].base + 1}/readyz`, { signal }).then(
      (answer) => answer.text(),
      () => '',
    );
  }

  /** Killed and started again when another one serves. */
  async kill(name: Name): Promise<void> {
    this.signal(name, 'SIGKILL');
    await this.ended(name);
    await this.otherThan(name);
    this.start(name);
  }

  /** Hands over; it waits in the same process. */
  async drain(): Promise<void> {
    await this.run(block('beside the tour'));
  }

  /** Stands still until another node serves, wakes, ends, and is started again. */
  async pause(name: Name): Promise<void> {
    this.signal(name, 'SIGSTOP');
    await this.otherThan(name);
    this.signal(name, 'SIGCONT');
    const code = await this.ended(name);
    if (code !== OVERTAKEN) throw new Error(`the node that was paused ended with ${code}`);
    this.start(name);
  }

  async stop(): Promise<void> {
    for (const [name, child] of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      try {
        this.signal(name, 'SIGCONT');
        this.signal(name, 'SIGTERM');
      } catch {
        child.kill('SIGKILL'); // it has no directory yet
      }
      await this.ended(name);
    }
  }

  /** What they logged, for messages. */
  get logs(): string {
    return NAMES.map((name) => {
      try {
        return `${name}:\n${readFileSync(join(this.folder, `${name}.log`), 'utf8')}`;
      } catch {
        return `${name}: nothing`;
      }
    }).join('\n');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #until<Found>(what: string, look: () => Promise<Found | null>): Promise<Found> {
    const end = performance.now() + SOON_MS;
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      if (performance.now() > end) throw new Error(`${SOON_MS / 1000} s went by before ${what}\n${this.logs}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
