/** A node with a vault as its own process: TLS, an operator with a certificate, callers with any other. */
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCertificateRequest } from '#actors/vault/pki/new-request.ts';
import { newAuthority, type Authority } from '#test/actors/vault/pki/authority.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { freePortBase } from './free-port.ts';
import { writePlatformFile } from './platform-file.ts';
import { startProcess, type ProcessNode } from './process-node.ts';

export interface VaultAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly json: never;
}

/** A certificate with its key, PEM. */
export interface Badge {
  readonly cert: string;
  readonly key: string;
}

export const TRUST_DOMAIN = 'hive.test';

export class HiveVault {
  readonly dir = mkdtempSync(join(tmpdir(), 'skep-vault-'));
  readonly authority: Authority = newAuthority();
  readonly operator: Badge;
  #process: ProcessNode | null = null;
  #portBase = 0;
  #elsewhere: string | null = null;

  constructor() {
    const server = this.authority.leaf({ commonName: 'vault', names: { ip: ['127.0.0.1'], dns: ['localhost'] } });
    const operator = this.authority.leaf({ names: { uri: [`spiffe://${TRUST_DOMAIN}/operator/ada`] } });
    this.operator = { cert: operator.pem, key: keyPem(operator.key) };
    this.write('ca.pem', this.authority.pem);
    this.write('server.pem', server.pem);
    this.write('server.key', keyPem(server.key));
    this.write('operator.pem', operator.pem);
    this.write('operator.key', keyPem(operator.key));
    this.write('root.key', randomBytes(32).toString('base64'));
  }

  write(name: string, text: string): string {
    writeFileSync(join(this.dir, name), text, { mode: 0o600 });
    return this.path(name);
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  get url(): string {
    return this.#elsewhere ?? this.#process!.listeners['vault']!;
  }

  /** Calls go to the vault of another process from now on. */
  serveAt(url: string): void {
    this.#elsewhere = url;
  }

  /** Where another listener of the same node is reached. */
  listener(name: string): string {
    return this.#process!.listeners[name]!;
  }

  /** Where calls go: the vault, or a proxy before it. */
  through: number | null = null;

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Starts, on the same port as before; `more` are lines under `vault:`. */
  async start(more = ''): Promise<void> {
    if (this.#portBase === 0) this.#portBase = await freePortBase();
    const tls = `  tls: { cert: ${this.path('server.pem')}, key: ${this.path('server.key')} }`;
    const extra = `vault:
  enabled: true
  trust_domain: ${TRUST_DOMAIN}
${tls}
  operators: { ca: ${this.path('ca.pem')} }
  seal: { current: { file: ${this.path('root.key')} } }
${more}
`;
    const file = writePlatformFile(this.dir, { extra });
    this.#process = await startProcess(file, { SKEP_PORT_BASE: String(this.#portBase) });
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    return this.#process!.end(signal);
  }

  /** Its log so far. */
  logged(): string {
    return this.#process!.logged();
  }

  stderr(): string {
    return this.#process!.stderr();
  }

  close(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** One request on a connection of its own, as the operator unless another badge is given. */
  call(
    method: string,
    path: string,
    body?: unknown,
    badge: Badge | null = this.operator,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<VaultAnswer> {
    if (body === undefined) return this.#send(method, path, undefined, badge, headers);
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    // Node frames a DELETE's body only when the length is given.
    const framed = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length), ...headers };
    return this.#send(method, path, bytes, badge, framed);
  }

  #send(
    method: string,
    path: string,
    body: Buffer | undefined,
    badge: Badge | null,
    headers: Readonly<Record<string, string>>,
  ): Promise<VaultAnswer> {
    const options = { method, headers, ca: this.authority.pem, agent: false, ...badge };
    return new Promise((resolve, reject) => {
      const asked = httpsRequest(`https://127.0.0.1:${this.through ?? this.port}${path}`, options, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => {
          const bytes = Buffer.concat(pieces);
          resolve({ status: answer.statusCode!, headers: answer.headers, bytes, json: jsonOf(bytes) });
        });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }
}

/** A key with a request for it, PEM. */
export function newCsr(): { readonly key: string; readonly csr: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { key: keyPem(privateKey), csr: toPem('CERTIFICATE REQUEST', writeCertificateRequest(privateKey, 'x')) };
}

const keyPem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

function jsonOf(bytes: Buffer): never {
  try {
    return JSON.parse(bytes.toString('utf8')) as never;
  } catch {
    return undefined as never;
  }
}
