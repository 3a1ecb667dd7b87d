/** A real etcd on loopback, where the machine has one. In CI its absence fails, elsewhere the cases say loudly that they were skipped. */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasEtcd = spawnSync('etcd', ['--version']).status === 0;

if (!hasEtcd) {
  const message = 'skipped: no etcd on this machine, so the etcd backend was NOT tested';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

export class Etcd {
  readonly dir = mkdtempSync(join(tmpdir(), 'skep-etcd-'));
  #child: ChildProcess | null = null;
  #ports: readonly [number, number] | null = null;

  get url(): string {
    return `http://127.0.0.1:${this.#ports![0]}`;
  }

  /** Starts it; a second start goes on with what the first one stored, on the same port. */
  async start(): Promise<void> {
    this.#ports ??= [await freePort(), await freePort()];
    const [client, peer] = this.#ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
    const words = [
      '--data-dir',
      join(this.dir, 'data'),
      '--listen-client-urls',
      client,
      '--advertise-client-urls',
      client,
    ];
    const peers = [
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `default=${peer}`,
    ];
    this.#child = spawn('etcd', [...words, ...peers, '--logger', 'zap', '--log-level', 'error'], { stdio: 'ignore' });
    await this.#answers();
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #answers(): Promise<void> {
    const until = Date.now() + 20_000;
    while (Date.now() < until) {
      const healthy = await fetch(`${this.url}/health`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (healthy) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('etcd does not answer');
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
