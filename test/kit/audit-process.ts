/** `skep audit -config <file>` as its own process: its TLS certificate is openssl's, its issuer of tokens is the test. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#actors/kit/clock.ts';
import { mintServiceToken, mintToken } from '#actors/kit/token/mint.ts';
import { rawPublicKey } from '#actors/kit/token/paserk.ts';
import { OWN_ISSUER, ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { freePortBase } from './free-port.ts';
import { TENANT } from './platform-file.ts';
import { startServing } from './serving-process.ts';

const AUDIT_PLACE = 8;

export interface Told {
  readonly status: number;
  readonly json: never;
  readonly text: string;
}

export interface ServedAudit {
  readonly url: string;
  readonly pid: number;
  /** The exit code or the signal's name. */
  readonly ended: Promise<number | string>;
  call(method: string, path: string, token: string | null, body?: unknown): Promise<Told>;
  end(signal: NodeJS.Signals): Promise<number | string>;
}

export class AuditProcess {
  readonly dir = mkdtempSync(join(tmpdir(), 'skep-audit-'));
  readonly file = join(this.dir, 'audit.yaml');
  readonly logs = join(this.dir, 'logs');
  readonly #signing = ringOf([newSigningKey({ clock: systemClock, random: randomBytes })]);
  readonly #issuer = createServer((_asked, answer) => answer.end(this.#jwks()));
  #agents: Agent[] = [];

  /** `more` are lines of the file. */
  async open(more = ''): Promise<void> {
    await new Promise<void>((resolve) => this.#issuer.listen(0, '127.0.0.1', resolve));
    const out = ['-keyout', join(this.dir, 'key.pem'), '-out', join(this.dir, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const words = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', ...out, ...subject];
    execFileSync('openssl', words, { stdio: 'ignore' });
    const { port } = this.#issuer.address() as AddressInfo;
    const issuer = `issuer: http://127.0.0.1:${port}`;
    const paths = `audit: { base_dir: ./logs }\ntls: { cert: ./cert.pem, key: ./key.pem }`;
    writeFileSync(this.file, `name: audit.example\n${issuer}\n${paths}\n${more}`);
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
    this.#issuer.closeAllConnections();
    this.#issuer.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #jwks(): string {
    const keys = [...this.#signing.own.values()].map(({ kid, key }) => {
      const x = rawPublicKey(key).toString('base64url');
      return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
    });
    return JSON.stringify({ keys });
  }

  /** A token of a service that may append everywhere. */
  service(scope = '*:*:*:*'): string {
    const wish = { keyId: 'K', tenant: TENANT, scope: [scope], audience: null, lifetimeSeconds: 900 };
    return mintServiceToken(this.#signing, systemClock.now(), wish);
  }

  /** A token of an administrator of the tenant. */
  admin(claims: object = {}): string {
    const second = (ms: number): string => new Date(ms).toISOString();
    const now = systemClock.now();
    const times = { iat: second(now), nbf: second(now), exp: second(now + 900_000) };
    const person = { iss: OWN_ISSUER, sub: 'ada', type: 'user', tenant: TENANT, roles: ['tenant_admin'] };
    return mintToken(this.#signing, { ...person, ...times, ...claims });
  }

  /** Serves until it is stopped; rejects with what it said when it ends before it serves. */
  async serve(env: Readonly<Record<string, string>> = {}, wrapper: readonly string[] = []): Promise<ServedAudit> {
    const base = Number(env['SKEP_PORT_BASE'] ?? (await freePortBase()));
    const served = await startServing(['audit', '-config', this.file], {
      env: { SKEP_PORT_BASE: String(base), ...env },
      wrapper,
    });
    const agent = new Agent({ ca: readFileSync(join(this.dir, 'cert.pem')), keepAlive: true });
    this.#agents.push(agent);
    const url = `https://127.0.0.1:${base + AUDIT_PLACE}`;
    return {
      url,
      pid: served.pid,
      ended: served.ended,
      call: (method, path, token, body) => callOver(agent, url + path, method, token, body),
      end: (signal) => {
        served.signal(signal);
        return served.ended;
      },
    };
  }
}

function callOver(agent: Agent, url: string, method: string, token: string | null, body: unknown): Promise<Told> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (token !== null) headers['Authorization'] = `Bearer ${token}`;
    const asked = request(url, { agent, method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode!, text, json: jsonOf(text) }));
      answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function jsonOf(text: string): never {
  try {
    return JSON.parse(text) as never;
  } catch {
    return undefined as never;
  }
}
