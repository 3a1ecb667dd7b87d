/** Debian's pebble, a real ACME authority for tests, and its DNS server that leads every name to 127.0.0.1. In CI their absence fails. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export const hasPebble = ['pebble', 'pebble-challtestsrv'].every(
  (program) => spawnSync(program, ['-h']).error === undefined,
);

if (!hasPebble) {
  const message = 'skipped: no pebble on this machine, so certificates by ACME were NOT tested';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

export interface PebbleWish {
  /** Percent of the nonces that it refuses for no reason. */
  readonly nonceReject?: number;
  /** How long its certificates last, in seconds. */
  readonly seconds?: number;
  /** It takes some seconds for each validation, as a public one does. */
  readonly isSlow?: boolean;
  /** An account elsewhere that it wants to see. */
  readonly eab?: { readonly kid: string; readonly hmac: string };
}

export class Pebble {
  readonly dir = mkdtempSync(join(tmpdir(), 'skep-pebble-'));
  /** The port at which it looks for tokens, which the node has to listen on. */
  httpPort = 0;
  #ports: readonly [api: number, management: number, dns: number, dnsManagement: number] = [0, 0, 0, 0];
  #children: ChildProcess[] = [];
  #said = '';

  get directory(): string {
    return `https://127.0.0.1:${this.#ports[0]}/dir`;
  }

  /** The certificate of its own listener: `ca_file` of the node. */
  get caFile(): string {
    return join(this.dir, 'own.pem');
  }

  /** What it wrote since its last start. */
  get said(): string {
    return this.#said;
  }

  /** Starts it; after a stop it listens on the same ports, and has forgotten everything. */
  async start({ eab, isSlow = false, nonceReject = 0, seconds }: PebbleWish = {}): Promise<void> {
    if (this.httpPort === 0) {
      const ports = await Promise.all(Array.from({ length: 5 }, freePort));
      this.httpPort = ports.pop()!;
      this.#ports = ports as [number, number, number, number];
      ownCertificate(this.dir);
    }
    const [api, management, dns, dnsManagement] = this.#ports;
    const config = {
      pebble: {
        listenAddress: `127.0.0.1:${api}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: this.caFile,
        privateKey: join(this.dir, 'own.key'),
        httpPort: this.httpPort,
        tlsPort: 1,
        ocspResponderURL: '',
        externalAccountBindingRequired: eab !== undefined,
        ...(eab !== undefined && { externalAccountMACKeys: { [eab.kid]: eab.hmac } }),
        ...(seconds !== undefined && { certificateValidityPeriod: seconds }),
      },
    };
    writeFileSync(join(this.dir, 'pebble.json'), JSON.stringify(config));
    this.#said = '';
    const off = ['-http01', '', '-https01', '', '-tlsalpn01', ''];
    const at = ['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`, '-defaultIPv6', ''];
    this.#spawn('pebble-challtestsrv', [...at, ...off], {});
    this.#spawn('pebble', ['-config', join(this.dir, 'pebble.json'), '-dnsserver', `127.0.0.1:${dns}`], {
      ...(!isSlow && { PEBBLE_VA_NOSLEEP: '1' }),
      PEBBLE_WFE_NONCEREJECT: String(nonceReject),
      PEBBLE_AUTHZREUSE: '0',
    });
    await this.#answers();
  }

  async stop(): Promise<void> {
    const children = this.#children.splice(0);
    await Promise.all(
      children.map(async (child) => {
        const gone = new Promise((resolve) => child.once('close', resolve));
        if (child.exitCode === null && child.kill('SIGKILL')) await gone;
      }),
    );
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** The root of the certificates that it has issued since its last start, PEM. */
  root(): Promise<string> {
    return this.#ask(`https://127.0.0.1:${this.#ports[1]}/roots/0`);
  }

  #spawn(program: string, words: readonly string[], env: Record<string, string>): void {
    const child = spawn(program, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    this.#children.push(child);
  }

  #ask(url: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const asked = request(url, { ca: readFileSync(this.caFile), agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve(text));
      });
      asked.on('error', reject).end();
    });
  }

  async #answers(): Promise<void> {
    const until = Date.now() + 20_000;
    while (Date.now() < until) {
      const is = await this.#ask(this.directory).then(
        () => true,
        () => false,
      );
      if (is) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`pebble does not answer: ${this.#said}`);
  }
}

function ownCertificate(dir: string): void {
  const files = ['-keyout', join(dir, 'own.key'), '-out', join(dir, 'own.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=pebble', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, ...files], { stdio: 'ignore' });
}
