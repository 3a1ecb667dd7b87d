/** Debian's HAProxy beside a test, with the configuration of docs/how-to/several-doors.md: only addresses are replaced. In CI its absence fails, elsewhere the cases say loudly that they were skipped. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { root } from './demo-process.ts';
import { freePort } from './free-port.ts';

/** Debian has it where only administrators look. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin` };

export const hasHaproxy = spawnSync('haproxy', ['-v'], { env }).status === 0;

if (!hasHaproxy) {
  const message = 'skipped: no haproxy on this machine, so three nodes behind a balancer were NOT tested';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

const LOOK_MS = 20;
const SERVER = /^( *server n(\d+)) \S+/gm;

/** As the page has it, with these addresses: host and port, of the nodes in their order. */
function configuration(port: number, certificate: string, nodes: readonly string[]): string {
  const page = readFileSync(join(root, 'docs/how-to/several-doors.md'), 'utf8');
  const text = /```text\n(defaults\n[^]*?)```/.exec(page)![1]!;
  return text
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('/etc/haproxy/site.pem', certificate)
    .replaceAll(SERVER, (_line, name: string, no: string) => `${name} ${nodes[Number(no) - 1]}`);
}

export class Haproxy {
  readonly url: string;
  /** What its callers trust. */
  readonly ca: string;
  readonly #child: ChildProcess;

  private constructor(url: string, ca: string, child: ChildProcess) {
    this.url = url;
    this.ca = ca;
    this.#child = child;
  }

  /** Resolves when it listens; its files are made in `dir`. */
  static async start(dir: string, nodes: readonly string[]): Promise<Haproxy> {
    const [certificate, key, file] = ['site.pem', 'site.key', 'haproxy.cfg'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
    execFileSync('openssl', ['req', '-x509', ...made, ...subject, '-out', certificate], { stdio: 'ignore' });
    const ca = readFileSync(certificate, 'utf8');
    appendFileSync(certificate, readFileSync(key));
    const port = await freePort();
    writeFileSync(file, configuration(port, certificate, nodes));
    const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    while (!(await listens(port))) {
      if (child.exitCode !== null) throw new Error(`haproxy ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return new Haproxy(`https://127.0.0.1:${port}`, ca, child);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
