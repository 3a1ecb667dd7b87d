/** A real etcd on loopback, where the machine has one. In CI its absence fails, elsewhere the cases say loudly that they were skipped. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export const hasEtcd = spawnSync('etcd', ['--version']).status === 0;

if (!hasEtcd) {
  const message = 'skipped: no etcd on this machine, so the etcd backend was NOT tested';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

export interface EtcdFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export class Etcd {
  readonly dir = mkdtempSync(join(tmpdir(), 'skep-etcd-'));
  #child: ChildProcess | null = null;
  readonly #tls: EtcdFiles | null;
  #ports: readonly [number, number] | null = null;

  /** With files it speaks TLS and wants a client certificate. */
  constructor(tls: EtcdFiles | null = null) {
    this.#tls = tls;
  }

  get url(): string {
    return `${this.#tls === null ? 'http' : 'https'}://127.0.0.1:${this.#ports![0]}`;
  }

  /** Starts it; a second start goes on with what the first one stored, on the same port. */
  async start(): Promise<void> {
    this.#ports ??= [await freePort(), await freePort()];
    const [client, peer] = [this.url, `http://127.0.0.1:${this.#ports[1]}`];
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
    const { ca, cert, key } = this.#tls ?? { ca: '', cert: '', key: '' };
    const tls = ['--client-cert-auth', '--trusted-ca-file', ca, '--cert-file', cert, '--key-file', key];
    const quiet = ['--logger', 'zap', '--log-level', 'error'];
    this.#child = spawn('etcd', [...words, ...peers, ...(this.#tls === null ? [] : tls), ...quiet], {
      stdio: 'ignore',
    });
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

  /** One request over the gateway; rejects unless it is answered 200. */
  ask(path: string, body: object | null = null, token?: string): Promise<string> {
    const files = this.#tls;
    const pem = files && { ca: readFileSync(files.ca), cert: readFileSync(files.cert), key: readFileSync(files.key) };
    return new Promise((resolve, reject) => {
      const begin = pem === null ? httpRequest : httpsRequest;
      const headers = token === undefined ? {} : { Authorization: token };
      const asked = begin(this.url + path, { method: body === null ? 'GET' : 'POST', headers, agent: false, ...pem });
      asked.on('error', reject).on('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
      });
      asked.end(body === null ? undefined : JSON.stringify(body));
    });
  }

  /** Turns authentication on: root, and a user that may touch the keys under one prefix only. */
  async enableUsers(name: string, password: string, prefix: string): Promise<void> {
    const key = Buffer.from(prefix).toString('base64');
    const range_end = Buffer.from(`${prefix}\x7f`).toString('base64');
    for (const [path, body] of [
      ['user/add', { name: 'root', password: 'of-the-root' }],
      ['role/add', { name: 'root' }],
      ['user/grant', { user: 'root', role: 'root' }],
      ['role/add', { name: 'vault' }],
      ['role/grant', { name: 'vault', perm: { permType: 'READWRITE', key, range_end } }],
      ['user/add', { name, password }],
      ['user/grant', { user: name, role: 'vault' }],
      ['enable', {}],
    ] as const)
      await this.ask(`/v3/auth/${path}`, body);
  }

  /** A token of root, for tests that change users. */
  async root(): Promise<string> {
    const answer = await this.ask('/v3/auth/authenticate', { name: 'root', password: 'of-the-root' });
    return (JSON.parse(answer) as { token: string }).token;
  }

  async #answers(): Promise<void> {
    const until = Date.now() + 20_000;
    while (Date.now() < until) {
      const healthy = await this.ask('/health').then(
        () => true,
        () => false,
      );
      if (healthy) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('etcd does not answer');
  }
}
