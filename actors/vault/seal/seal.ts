/**
 * The root keys, and whether they are loaded. The store keeps a check value for each term, never a key: a root key that does not match it is
 * refused before anything is sealed with it.
 *
 *   no record ──first key──▶ unsealed (term 1)
 *   record ──key of the newest term──▶ unsealed
 *   record ──new key as `current`, key of the newest term as `previous`──▶ unsealed (term + 1); tenant keys move under it
 *   shamir: sealed ──enough shares──▶ unsealed ──seal──▶ sealed, keys zeroed
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { EnvelopeKeyMissing } from './envelope.ts';
import type { VaultStore } from '../store.ts';

export const SEAL_PATH = 'seal';

export interface SealRecord {
  readonly kind: 'key' | 'shamir';
  readonly current: number;
  /** Check value by term, base64. */
  readonly checks: Readonly<Record<string, string>>;
  readonly threshold?: number;
  readonly shares?: number;
}

/** The root keys do not match the store. */
export class SealRefused extends Error {}

/** Nothing can be opened until enough shares are given. */
export class Sealed extends Error {
  constructor() {
    super('the vault is sealed');
  }
}

export type SealState = 'open' | 'sealed' | 'no-key';

/** HMAC-SHA256: the check value reveals nothing of the key. */
function checkOf(key: Buffer, term: number): Buffer {
  return createHmac('sha256', key).update(`skep vault root check\0${term}`).digest();
}

function fits(key: Buffer, record: SealRecord, term: number): boolean {
  const check = record.checks[String(term)];
  return check !== undefined && timingSafeEqual(Buffer.from(check, 'base64'), checkOf(key, term));
}

function termsOf(record: SealRecord): number[] {
  return Object.keys(record.checks).map(Number);
}

export class Seal {
  readonly #store: VaultStore;
  readonly #roots = new Map<number, Buffer>();
  #current = 0;
  #state: SealState;

  /** `no-key` where nothing is sealed: a development profile without a root key. */
  constructor(store: VaultStore, state: 'sealed' | 'no-key') {
    this.#store = store;
    this.#state = state;
  }

  get state(): SealState {
    return this.#state;
  }

  /** The term of the root key that seals. */
  get current(): number {
    return this.#current;
  }

  /** The root key of a term. Throws Sealed or EnvelopeKeyMissing. */
  root(term: number): Buffer {
    if (this.#state === 'sealed') throw new Sealed();
    const key = this.#roots.get(term);
    if (key === undefined) throw new EnvelopeKeyMissing(`no root key of term ${term} is configured`);
    return key;
  }

  async record(): Promise<SealRecord | null> {
    const stored = await this.#store.get(SEAL_PATH);
    return stored === undefined ? null : (JSON.parse(stored.value.toString()) as SealRecord);
  }

  /**
   * Unseals with a root key and, where it is configured, the one before it; takes both over (they are zeroed when the vault is sealed). Gives
   * whether the current key is new: then every tenant key moves under it. Throws SealRefused when the keys do not match the store.
   */
  async unseal(current: Buffer, previous: Buffer | null, more: Partial<SealRecord> = {}): Promise<boolean> {
    for (let tries = 0; tries < limits.vault.conflictTriesMax; tries++) {
      const isNew = await this.#tryUnseal(current, previous, more);
      if (isNew !== 'met') return isNew;
    }
    throw new SealRefused('the seal could not be written: other vaults changed it at every attempt; start again');
  }

  /** `met`: another vault has written its seal meanwhile; with the same key this vault accepts it. */
  async #tryUnseal(current: Buffer, previous: Buffer | null, more: Partial<SealRecord>): Promise<boolean | 'met'> {
    const stored = await this.#store.get(SEAL_PATH);
    const record = stored === undefined ? null : (JSON.parse(stored.value.toString()) as SealRecord);
    const terms = record === null ? [] : termsOf(record);
    const known = terms.find((term) => fits(current, record!, term));
    const before = previous === null ? undefined : terms.find((term) => fits(previous, record!, term));
    if (record !== null && known === undefined && before !== record.current) throw refusedKeys(previous !== null);
    const term = known ?? (record?.current ?? 0) + 1;
    if (known === undefined && !(await this.#write(stored?.version ?? 0, record, term, current, more))) return 'met';
    this.#forget();
    this.#roots.set(term, current);
    if (previous !== null && before !== undefined && before !== term) this.#roots.set(before, previous);
    else previous?.fill(0);
    this.#current = term;
    this.#state = 'open';
    return known === undefined && record !== null;
  }

  /** Drops and zeroes the keys. */
  seal(): void {
    this.#forget();
    this.#state = 'sealed';
  }

  async #write(
    expect: number,
    record: SealRecord | null,
    term: number,
    key: Buffer,
    more: Partial<SealRecord>,
  ): Promise<boolean> {
    const checks = { ...record?.checks, [term]: checkOf(key, term).toString('base64') };
    const next: SealRecord = { kind: 'key', ...record, ...more, current: term, checks };
    const value = Buffer.from(JSON.stringify(next));
    return (await this.#store.commit([{ path: SEAL_PATH, value, expect }])).ok;
  }

  #forget(): void {
    for (const key of this.#roots.values()) key.fill(0);
    this.#roots.clear();
    this.#current = 0;
  }
}

function refusedKeys(hasPrevious: boolean): SealRefused {
  const tried = hasPrevious ? 'neither the current nor the previous root key is' : 'the root key is not';
  return new SealRefused(
    `${tried} the one that this store was sealed with\n    give the right one as seal.current, or as seal.previous beside a new seal.current`,
  );
}
