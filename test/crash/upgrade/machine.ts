/** A machine with a node on a log: its files, the release that is installed, and its process. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '#test/kit/free-port.ts';
import { LinkAuthority } from '#test/kit/link-papers.ts';
import { shareFiles } from '#test/kit/node-pair.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import type { Release } from './release.ts';

const SAYS_MS = 1000;
const SHOP = fileURLToPath(new URL('../../kit/products/shop/', import.meta.url));
/** Two for each of three nodes. */
const PLACES = 6;
/** Tenants beside those of every test: so many that each place has some. */
export const FURTHER = Array.from({ length: 7 }, (_, no) => `acme:shop:dev:t${no}`);
const exec = promisify(execFile);

export interface MachineWish {
  readonly name: string;
  /** Of the log. */
  readonly url: string;
  readonly leaseMs: number;
  /** Whether nodes carry hosts of one another. */
  readonly carries: boolean;
}

export class Machine {
  readonly name: string;
  readonly file: string;
  readonly gateway: string;
  release: Release;
  readonly #operations: string;
  readonly #log: string;
  #child: ChildProcess | null = null;

  /** Its files, below `root`. */
  static async make(root: string, { carries, leaseMs, name, url }: MachineWish, release: Release): Promise<Machine> {
    const dir = join(root, name);
    const papers = join(root, 'papers');
    for (const path of [dir, papers]) mkdirSync(path, { recursive: true });
    const { ca, certificate, key } = LinkAuthority.in(papers).pair(name);
    const link = `{ bind: "127.0.0.1:${await freePort()}", certificate: "${certificate}", key: "${key}", ca: "${ca}" }`;
    if (carries) shareFiles(root, dir);
    const carry = carries ? `, files: shared, carry: true, places: ${PLACES}` : '';
    const file = writePlatformFile(dir, {
      storage: `journal: { driver: postgres, url: "${url}" }`,
      extra: `cluster: { node: ${name}, lease: ${leaseMs}ms, link: ${link}${carry} }`,
      tenant: FURTHER.map((key) => `    - key: ${key}\n      meta: { localdir: ${SHOP} }\n`).join(''),
    });
    const [gateway, operations] = [await freePort(), await freePort()];
    const text = readFileSync(file, 'utf8')
      .replace('operations: { bind: 127.0.0.1:0 }', `operations: { bind: 127.0.0.1:${operations} }`)
      .replace(
        'gateway: { bind: 127.0.0.1:0, drain_notice: 0s',
        `gateway: { bind: 127.0.0.1:${gateway}, drain_notice: 1s`,
      );
    writeFileSync(file, text);
    return new Machine({ name, file, dir, gateway, operations, release });
  }

  private constructor(parts: Parts) {
    const { dir, file, gateway, name, operations, release } = parts;
    this.name = name;
    this.file = file;
    this.release = release;
    this.gateway = `http://127.0.0.1:${gateway}`;
    this.#operations = `http://127.0.0.1:${operations}`;
    this.#log = join(dir, 'log');
  }

  /** A command of the release that is installed; what it printed. Rejects with what it said where it fails. */
  async skep(...words: readonly string[]): Promise<string> {
    const { env, launcher } = this.release;
    return (await exec(launcher, words, { env: { ...process.env, ...env } })).stdout;
  }

  /** The node that has each shard open, by the log. */
  async owners(): Promise<string[]> {
    const said = await this.skep('cluster', 'shards', '-f', this.file, '-o', 'json');
    return (JSON.parse(said) as { readonly node: string }[]).map(({ node }) => node);
  }

  start(): void {
    const { env, launcher } = this.release;
    const log = openSync(this.#log, 'a');
    const words = ['-f', this.file, '-l', 'info'];
    this.#child = spawn(launcher, words, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
    closeSync(log);
  }

  /** As a service manager stops it. Rejects where it ends otherwise than in order. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    if (child.exitCode !== 0)
      throw new Error(
        `${this.name} of ${this.release.name} ended with ${child.signalCode ?? child.exitCode}\n${this.logged}`,
      );
  }

  /** For a test that is over. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Whether its process has ended by itself. */
  get hasEnded(): boolean {
    return this.#child !== null && (this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  get logged(): string {
    return readFileSync(this.#log, 'utf8').split('\n').slice(-40).join('\n');
  }

  /** What its `/readyz` says; '' while nothing answers. */
  async readiness(): Promise<string> {
    return textOf(`${this.#operations}/readyz`);
  }

  async serves(): Promise<boolean> {
    return (await this.readiness()).startsWith('ready:true');
  }

  /** Whether it stands by, has what the log has, could serve at once, and its doors reach the node that serves. */
  async isStandby(): Promise<boolean> {
    const text = await this.readiness();
    if (!text.includes('had all') || !text.includes('threads ready')) return false;
    return (await textOf(`${this.gateway}/ready`)) === 'ready:true';
  }
}

interface Parts {
  readonly name: string;
  readonly file: string;
  readonly dir: string;
  readonly gateway: number;
  readonly operations: number;
  readonly release: Release;
}

function textOf(url: string): Promise<string> {
  return fetch(url, { signal: AbortSignal.timeout(SAYS_MS) }).then(
    (answer) => answer.text(),
    () => '',
  );
}
