/**
 * Signing keys of audit logs in a vault elsewhere (docs/contract/audit.md §3, `vault.url`): the node-wide secret at the
 * path of a log, an Ed25519 key as PKCS#8, in PEM or in the DER that this program writes. A missing key is made once:
 * the write succeeds only while there is none, so that two services which race both get the first one.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { KeyUnavailable, type KeyPort } from '#actors/audit/key-port.ts';
import { askOver, badgeAgent, type BadgeFiles, type MtlsAnswer } from './mtls-client.ts';

const BOUNDS = { answerMs: limits.audit.keyAnswerMs, answerBytesMax: limits.vault.bodyBytesMax } as const;

/** Keys at a vault's URL. Throws where the certificate's files cannot be read, so that the start fails instead of the first log. */
export function vaultKeys(url: string, files: BadgeFiles, log: Log): KeyPort {
  badgeAgent(files, 'audit.vault.tls').destroy();
  const fetcher = new KeyFetcher(url.replace(/\/$/, ''), files, log);
  return { signingKey: (path) => fetcher.keyAt(path) };
}

class KeyFetcher {
  readonly #base: string;
  readonly #files: BadgeFiles;
  readonly #log: Log;
  /** The vault's silence was logged; it is logged once until the vault answers again. */
  #silent = false;

  constructor(base: string, files: BadgeFiles, log: Log) {
    this.#base = base;
    this.#files = files;
    this.#log = log;
  }

  async keyAt(path: string): Promise<KeyObject> {
    try {
      const key = (await this.#read(path)) ?? (await this.#make(path));
      if (this.#silent) this.#log.info({ vault: this.#base }, 'the vault gives signing keys again');
      this.#silent = false;
      return key;
    } catch (error) {
      const why = `the signing key ${path} cannot be had from the vault at ${this.#base}: ${(error as Error).message}`;
      if (!this.#silent)
        this.#log.error(
          { vault: this.#base, why },
          'no signing key: logs that are not open yet answer 503 until there is one',
        );
      this.#silent = true;
      throw new KeyUnavailable(why, { cause: error });
    }
  }

  async #read(path: string): Promise<KeyObject | null> {
    const { status, json } = await this.#ask('GET', path);
    if (status === 404) return null;
    if (status !== 200) throw refusalOf(status, json);
    const bytes = Buffer.from(String(json['value']), json['encoding'] === 'base64' ? 'base64' : 'utf8');
    const key = keyOf(bytes);
    bytes.fill(0);
    if (key?.asymmetricKeyType !== 'ed25519') throw new Error('what lies there is no Ed25519 key in PKCS#8');
    return key;
  }

  async #make(path: string): Promise<KeyObject> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const wish = { value: der.toString('base64'), encoding: 'base64', cas: 0 };
    der.fill(0);
    const { status, json } = await this.#ask('PUT', path, wish);
    if (status !== 201 && status !== 200 && status !== 409) throw refusalOf(status, json);
    const kept = await this.#read(path); // read back, since another service may have written its key first
    if (kept === null) throw new Error('the vault does not show what was written');
    return kept;
  }

  /** Reads the certificate for each request: keys are asked for once per log, and a renewed certificate counts at once. */
  async #ask(method: 'GET' | 'PUT', path: string, body?: unknown): Promise<MtlsAnswer> {
    const agent = badgeAgent(this.#files, 'audit.vault.tls');
    try {
      return await askOver(agent, { method, url: `${this.#base}/secret/${encodeURIComponent(path)}`, body }, BOUNDS);
    } finally {
      agent.destroy();
    }
  }
}

function keyOf(bytes: Buffer): KeyObject | null {
  const isPem = bytes.subarray(0, PEM.length).toString('latin1') === PEM;
  try {
    return isPem ? createPrivateKey(bytes) : createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  } catch {
    return null; // never with the error: it may repeat what it read
  }
}

const PEM = '-----BEGIN';

function refusalOf(status: number, { code = '', error = '' }: Readonly<Record<string, unknown>>): Error {
  const told = `it answers ${status} ${String(code)} ${String(error)}`.slice(0, limits.vault.auditFaultCharsMax);
  const mend =
    status === 401 || status === 403 ? '; a policy there must let audit.vault.tls read and write the path' : '';
  return new Error(told + mend);
}
