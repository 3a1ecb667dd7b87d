/** `skep vault server -f <file>` as its own process; the certificates of its callers are openssl's. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortBase } from './free-port.ts';
import { startServing } from './serving-process.ts';

const VAULT_PLACE = 7;
const OPERATIONS_PLACE = 1;

export interface VaultTold {
  readonly status: number;
  readonly json: never;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface ServedVault {
  readonly url: string;
  readonly operations: string;
  readonly pid: number;
  readonly ended: Promise<number | string>;
  /** Everything that it wrote, on both streams. */
  said(): string;
  call(
    as: Identity | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<VaultTold>;
  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void;
  end(signal: NodeJS.Signals): Promise<number | string>;
}

export const TRUST_DOMAIN = 'vault.test';

export class VaultProcess {
  readonly dir = mkdtempSync(join(tmpdir(), 'skep-vault-'));
  readonly file = join(this.dir, 'vault.yaml');
  readonly rootFile = join(this.dir, 'root.key');
  readonly #agents: Agent[] = [];

  /** Authorities of the server and of the operators, a root key, and the file; `more` are lines of it. */
  open(more = '', options: { readonly seal?: string; readonly backend?: string } = {}): void {
    mkdirSync(join(this.dir, 'policies'), { recursive: true });
    this.authority('server-ca');
    this.authority('operator-ca');
    this.#issue('server', 'server-ca', 'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth');
    this.writeRoot(randomBytes(32));
    const seal = options.seal ?? `seal: { current: { file: ./root.key } }`;
    const tls = `tls: { cert: ./server.pem, key: ./server-key.pem }\noperators: { ca: ./operator-ca.pem }`;
    const where = `trust_domain: ${TRUST_DOMAIN}\nbackend: ${options.backend ?? '{ kind: lmdb, dir: ./store }'}\nstate_dir: ./state`;
    writeFileSync(this.file, `${where}\n${tls}\n${seal}\n${more}`);
  }

  writeRoot(key: Buffer, file = this.rootFile): void {
    writeFileSync(file, `${key.toString('base64')}\n`, { mode: 0o600 });
  }

  policies(text: string): void {
    writeFileSync(join(this.dir, 'policies', 'policies.yaml'), text);
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** A caller's certificate with one URI name. */
  identity(
    path: string,
    options: { readonly ca?: string; readonly usage?: string; readonly names?: string; readonly days?: string } = {},
  ): Identity {
    const file = `client-${randomBytes(4).toString('hex')}`;
    const names = options.names ?? `URI:spiffe://${TRUST_DOMAIN}/${path}`;
    const extensions = `subjectAltName=${names}\nextendedKeyUsage=${options.usage ?? 'clientAuth'}`;
    this.#issue(file, options.ca ?? 'operator-ca', extensions, options.days);
    return { cert: join(this.dir, `${file}.pem`), key: join(this.dir, `${file}-key.pem`) };
  }

  authority(name: string): void {
    const out = ['-keyout', join(this.dir, `${name}-key.pem`), '-out', join(this.dir, `${name}.pem`)];
    const more = ['-subj', `/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
    openssl([
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      ...out,
      ...more,
    ]);
  }

  /** `openssl ca` writes the list of an authority, with these certificates on it: `<ca>-crl.pem`. */
  revocationList(ca: string, revoked: readonly Identity[]): void {
    const at = (name: string): string => join(this.dir, name);
    const settings = ['[ca]', 'default_ca = x', '[x]', `database = ${at('index.txt')}`, 'default_md = sha256'];
    writeFileSync(at('ca.cnf'), `${settings.join('\n')}\ndefault_crl_days = 1\n`);
    writeFileSync(at('index.txt'), '');
    const by = ['ca', '-config', at('ca.cnf'), '-cert', at(`${ca}.pem`), '-keyfile', at(`${ca}-key.pem`)];
    for (const { cert } of revoked) openssl([...by, '-revoke', cert, '-crl_reason', 'keyCompromise']);
    openssl([...by, '-gencrl', '-out', at(`${ca}-crl.pem`)]);
  }

  #issue(name: string, ca: string, extensions: string, days = '1'): void {
    const [key, csr, ext, cert] = ['-key.pem', '.csr', '.ext', '.pem'].map((end) => join(this.dir, name + end)) as [
      string,
      string,
      string,
      string,
    ];
    const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    openssl(['req', '-new', ...fresh, '-keyout', key, '-out', csr, '-subj', `/CN=${name}`]);
    writeFileSync(ext, extensions);
    const by = ['-CA', join(this.dir, `${ca}.pem`), '-CAkey', join(this.dir, `${ca}-key.pem`), '-CAcreateserial'];
    openssl(['x509', '-req', '-in', csr, ...by, '-days', days, '-extfile', ext, '-out', cert]);
  }

  /** Serves until it is stopped; rejects with what it said when it ends before it serves. */
  async serve(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<ServedVault> {
    const base = await freePortBase();
    const served = await startServing(['vault', 'server', '-f', this.file, '-l', 'info', ...flags], {
      cwd: this.dir,
      env: { SKEP_PORT_BASE: String(base), ...env },
    });
    const url = `https://127.0.0.1:${base + VAULT_PLACE}`;
    const agents = new Map<Identity | null, Agent>();
    const agentOf = (as: Identity | null): Agent => {
      const known = agents.get(as);
      if (known !== undefined) return known;
      const pair = as === null ? {} : { cert: readFileSync(as.cert), key: readFileSync(as.key) };
      const agent = new Agent({ ca: readFileSync(join(this.dir, 'server-ca.pem')), keepAlive: true, ...pair });
      agents.set(as, agent);
      this.#agents.push(agent);
      return agent;
    };
    return {
      url,
      operations: `http://127.0.0.1:${base + OPERATIONS_PLACE}`,
      pid: served.pid,
      ended: served.ended,
      said: () => served.stderr() + served.stdout(),
      call: (as, method, path, body, headers = {}) => callVault(url + path, agentOf(as), method, body, headers),
      signal: (signal) => served.signal(signal),
      end: (signal) => {
        served.signal(signal);
        return served.ended;
      },
    };
  }
}

function openssl(words: readonly string[]): void {
  execFileSync('openssl', words, { stdio: 'ignore' });
}

/** One request, over TLS where an agent is given. */
export function callVault(
  url: string,
  agent: Agent | null,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<VaultTold> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    // Node frames a DELETE's body only when the length is given.
    const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    const settings = { method, headers: { 'Content-Type': 'application/json', ...length, ...headers } };
    const begin = agent === null ? httpRequest(url, settings) : request(url, { ...settings, agent });
    begin.on('response', (answer) => {
      let received = '';
      answer.setEncoding('utf8').on('data', (part: string) => (received += part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, text: received, json: jsonOf(received), headers: answer.headers }),
      );
      answer.on('error', reject);
    });
    begin.on('error', reject);
    begin.end(text);
  });
}

function jsonOf(text: string): never {
  try {
    return JSON.parse(text) as never;
  } catch {
    return undefined as never;
  }
}
