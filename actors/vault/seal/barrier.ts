/**
 * The barrier seals and opens every enveloped value. A tenant has a key under the root key, numbered by terms of its own. Callers name the tenant
 * and the place and never see a key. Tenant keys stay in memory while they are used, and are zeroed when they are dropped.
 */
import { limits } from '#config/limits.ts';
import { EnvelopeBroken, EnvelopeKeyMissing, NONCE_LENGTH, closeEnvelope, openEnvelope, termOf } from './envelope.ts';
import type { Place } from './envelope.ts';
import type { Seal } from './seal.ts';
import type { VaultStore } from '../store.ts';

export interface BarrierPorts {
  readonly store: VaultStore;
  readonly seal: Seal;
  random(bytes: number): Buffer;
}

/** Terms of a tenant's key, each in an envelope under a root key (base64). */
interface KeyRecord {
  readonly current: number;
  readonly terms: Readonly<Record<string, string>>;
}

/** A caller may have waited while these keys were zeroed; then it must not use them: `gone` shows that. */
interface TenantKeys {
  readonly current: number;
  readonly keys: ReadonlyMap<number, Buffer>;
  gone: boolean;
}

const KEYS = 'key/';
const NO_TERM = Buffer.alloc(5);
const keyPlace = (tenant: string, term: number): Place => ({ tenant, name: 'tenant key', version: term });

export class Barrier {
  readonly #ports: BarrierPorts;
  readonly #held = new Map<string, TenantKeys>();
  readonly #loading = new Map<string, Promise<TenantKeys>>();

  constructor(ports: BarrierPorts) {
    this.#ports = ports;
  }

  /** Seals bytes for their place under the tenant's key. Without a root key they stay as they are, behind five zero bytes. */
  async close(place: Place, plain: Uint8Array): Promise<Buffer> {
    if (this.#ports.seal.state === 'no-key') return Buffer.concat([NO_TERM, plain]);
    for (;;) {
      const { current, keys, gone } = await this.#keys(place.tenant, null);
      if (gone) continue;
      return closeEnvelope(keys.get(current)!, current, place, this.#ports.random(NONCE_LENGTH), plain);
    }
  }

  /** Opens what `close` gave. Throws EnvelopeKeyMissing, EnvelopeBroken or Sealed. */
  async open(place: Place, closed: Buffer): Promise<Buffer> {
    const { state } = this.#ports.seal;
    const isPlain = closed.length >= NO_TERM.length && closed.subarray(0, NO_TERM.length).equals(NO_TERM);
    if (isPlain && state === 'no-key') return Buffer.from(closed.subarray(NO_TERM.length));
    if (isPlain && state === 'open')
      throw new EnvelopeBroken('the value was stored without an envelope: write it again');
    if (state === 'no-key') throw new EnvelopeKeyMissing('this vault has no root key');
    const term = termOf(closed);
    for (;;) {
      const { keys, gone } = await this.#keys(place.tenant, term);
      if (gone) continue;
      const key = keys.get(term);
      if (key === undefined) throw new EnvelopeKeyMissing(`no key of term ${term} is known`);
      return openEnvelope(key, place, closed);
    }
  }

  /** Gives a tenant a new key, which seals what is written from now on. Gives its term. */
  async rotate(tenant: string): Promise<number> {
    await this.#keys(tenant, null);
    for (let tries = 0; tries < limits.vault.conflictTriesMax; tries++) {
      const stored = (await this.#ports.store.get(KEYS + tenant))!;
      const record = recordOf(stored.value);
      const term = record.current + 1;
      const next = { current: term, terms: { ...record.terms, [term]: this.#newKey(tenant, term) } };
      if (await this.#put(tenant, next, stored.version)) return term;
    }
    throw new Error(`the key of ${tenant} could not be rotated: other vaults changed it at every attempt; try again`);
  }

  /** Seals every tenant key under the current root key; gives how many were under another one. */
  async rewrap(): Promise<number> {
    const { store, seal } = this.#ports;
    let moved = 0;
    for (let after: string | null = null; ;) {
      const page = await store.list(KEYS, after, limits.vault.listMax);
      for (const { path, value, version } of page) {
        const tenant = path.slice(KEYS.length);
        const record = recordOf(value);
        if (Object.values(record.terms).every((text) => termOf(bytesOf(text)) === seal.current)) continue;
        if (!(await this.#put(tenant, this.#underCurrent(tenant, record), version)))
          return moved + (await this.rewrap());
        moved++;
      }
      if (page.length < limits.vault.listMax) return moved;
      after = page.at(-1)!.path;
    }
  }

  /** Zeroes and forgets the keys in memory. */
  forget(): void {
    for (const held of this.#held.values()) zero(held);
    this.#held.clear();
  }

  #underCurrent(tenant: string, record: KeyRecord): KeyRecord {
    const terms = Object.entries(record.terms).map(([term, text]) => {
      const key = this.#unwrap(tenant, Number(term), bytesOf(text));
      const wrapped = this.#wrap(tenant, Number(term), key);
      key.fill(0);
      return [term, wrapped] as const;
    });
    return { current: record.current, terms: Object.fromEntries(terms) };
  }

  /** The keys of a tenant, made when there are none. For an unknown term the record is read again: another vault may have added it. */
  #keys(tenant: string, term: number | null): Promise<TenantKeys> | TenantKeys {
    this.#ports.seal.root(this.#ports.seal.current);
    const held = this.#held.get(tenant);
    if (held !== undefined && (term === null || held.keys.has(term))) return held;
    const loading = this.#loading.get(tenant);
    if (loading !== undefined) return loading;
    const begun = this.#load(tenant).finally(() => this.#loading.delete(tenant));
    this.#loading.set(tenant, begun);
    return begun;
  }

  async #load(tenant: string): Promise<TenantKeys> {
    let stored = await this.#ports.store.get(KEYS + tenant);
    if (stored === undefined) {
      await this.#put(tenant, { current: 1, terms: { 1: this.#newKey(tenant, 1) } }, 0); // the first vault to write it wins
      stored = (await this.#ports.store.get(KEYS + tenant))!;
    }
    const record = recordOf(stored.value);
    const keys = new Map<number, Buffer>();
    for (const [term, text] of Object.entries(record.terms))
      keys.set(Number(term), this.#unwrap(tenant, Number(term), bytesOf(text)));
    const loaded = { current: record.current, keys, gone: false };
    this.#hold(tenant, loaded);
    return loaded;
  }

  #hold(tenant: string, loaded: TenantKeys): void {
    const before = this.#held.get(tenant);
    if (before !== undefined) zero(before);
    this.#held.delete(tenant);
    this.#held.set(tenant, loaded);
    if (this.#held.size <= limits.vault.tenantKeysMax) return;
    const [oldest, held] = this.#held.entries().next().value!;
    zero(held);
    this.#held.delete(oldest);
  }

  async #put(tenant: string, record: KeyRecord, expect: number): Promise<boolean> {
    const value = Buffer.from(JSON.stringify(record));
    const { ok } = await this.#ports.store.commit([{ path: KEYS + tenant, value, expect }]);
    const held = this.#held.get(tenant);
    if (held !== undefined) zero(held);
    this.#held.delete(tenant);
    return ok;
  }

  #newKey(tenant: string, term: number): string {
    const key = this.#ports.random(limits.vault.rootKeyBytes);
    const wrapped = this.#wrap(tenant, term, key);
    key.fill(0);
    return wrapped;
  }

  #wrap(tenant: string, term: number, key: Buffer): string {
    const { current } = this.#ports.seal;
    const nonce = this.#ports.random(NONCE_LENGTH);
    return closeEnvelope(this.#ports.seal.root(current), current, keyPlace(tenant, term), nonce, key).toString(
      'base64',
    );
  }

  #unwrap(tenant: string, term: number, wrapped: Buffer): Buffer {
    return openEnvelope(this.#ports.seal.root(termOf(wrapped)), keyPlace(tenant, term), wrapped);
  }
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

/** Anyone who can write to the backend can write anything here: a malformed record is refused by name. */
function recordOf(value: Buffer): KeyRecord {
  const record = parsed(value) as Partial<KeyRecord> | null;
  const { current, terms } = record ?? {};
  const isSound =
    Number.isSafeInteger(current) &&
    typeof terms === 'object' &&
    terms !== null &&
    Object.entries(terms).every(([term, text]) => TERM.test(term) && typeof text === 'string') &&
    Object.hasOwn(terms, String(current));
  if (!isSound) throw new EnvelopeBroken('the record of a tenant key cannot be read');
  return record as KeyRecord;
}

const TERM = /^[1-9]\d{0,9}$/;

function parsed(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString());
  } catch {
    return null;
  }
}

function zero(held: TenantKeys): void {
  held.gone = true;
  for (const key of held.keys.values()) key.fill(0);
}
