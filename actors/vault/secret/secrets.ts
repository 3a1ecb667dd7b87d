/** Secrets on a store: records and values in envelopes, every change one commit. Nothing here knows the caller. */
import { limits } from '#config/limits.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { SerialByKey } from '#actors/kit/serial.ts';
import type { Barrier } from '../seal/barrier.ts';
import { EnvelopeBroken, NONCE_LENGTH, closeEnvelope, openEnvelope, termOf, type Place } from '../seal/envelope.ts';
import { decodeRecord, encodeRecord, readableRow, withNewVersion, withoutVersions } from './secret-record.ts';
import type { Changed, SecretRecord, VersionRow } from './secret-record.ts';
import type { Change, VaultStore } from '../store.ts';

export interface SecretsPorts {
  readonly store: VaultStore;
  readonly barrier: Barrier;
  readonly clock: Clock;
  random(bytes: number): Buffer;
}

/** The owner and the name of a secret. */
export interface SecretPlace {
  readonly scope: string;
  readonly name: string;
}

export interface ReadSecret {
  readonly record: SecretRecord;
  readonly row: VersionRow;
  /** The caller owns the buffer and zeroes it after use. */
  readonly value: Buffer;
}

export type Written =
  | { readonly ok: true; readonly record: SecretRecord; readonly revision: number }
  | { readonly ok: false; readonly latest: number };

/** The envelope of a value names the key version, and a secret has only one key. */
const VALUE_TERM = 1;
/** The version in the place of a record; no value has it. */
const RECORD_VERSION = 0;

const recordPath = ({ scope, name }: SecretPlace): string => `secret/${scope}/${name}`;
const valuePath = ({ scope, name }: SecretPlace, version: number): string => `value/${scope}/${name}:${version}`;
const placeOf = ({ scope, name }: SecretPlace, version: number): Place => ({ tenant: scope, name, version });

export class Secrets {
  readonly #ports: SecretsPorts;
  /** Changes in progress, by path. */
  readonly #changing = new SerialByKey();

  constructor(ports: SecretsPorts) {
    this.#ports = ports;
  }

  /** The newest version, or a named one; null when it cannot be read. `record` shows why. */
  async read(place: SecretPlace, version: number | null): Promise<ReadSecret | SecretRecord | null> {
    const found = await this.#record(place);
    if (found === null) return null;
    try {
      const row = readableRow(found.record, version);
      if (row === null) return found.record;
      const stored = await this.#ports.store.get(valuePath(place, row.version));
      if (stored === undefined) return this.#again(place, row.version, version);
      if (termOf(stored.value) !== VALUE_TERM)
        throw new EnvelopeBroken('the value names a key that its secret does not have');
      const value = openEnvelope(found.key, placeOf(place, row.version), stored.value);
      return { record: found.record, row, value };
    } finally {
      found.key.fill(0);
    }
  }

  /** The record alone, without touching a value; null when there is none. */
  async record(place: SecretPlace): Promise<SecretRecord | null> {
    const found = await this.#record(place);
    found?.key.fill(0);
    return found?.record ?? null;
  }

  /** Writes a new version. `cas` is the version that must be the newest, 0 for none; a mismatch gives the version that is. */
  async write(place: SecretPlace, value: Uint8Array, by: string, cas: number | null): Promise<Written> {
    return this.#change(place, by, (before) => {
      if (cas !== null && cas !== (before?.latest ?? 0)) return null;
      return { ...withNewVersion(before, this.#now(), by), value };
    });
  }

  /** Deletes or destroys; not ok when there was no readable version. */
  async remove(
    place: SecretPlace,
    by: string,
    wish: { readonly destroy: boolean; readonly version: number | null },
  ): Promise<Written> {
    return this.#change(place, by, (before) => (before === null ? null : withoutVersions(before, this.#now(), wish)));
  }

  /** Names that begin with the prefix, in order, behind `after`. */
  async list(scope: string, prefix: string, after: string | null, limit: number): Promise<string[]> {
    const head = recordPath({ scope, name: '' });
    const behind = after === null ? null : head + after;
    const rows = await this.#ports.store.list(head + prefix, behind, limit);
    return rows.map(({ path }) => path.slice(head.length));
  }

  #now(): string {
    return timestamp(this.#ports.clock.now());
  }

  async #record(place: SecretPlace) {
    const stored = await this.#ports.store.get(recordPath(place));
    if (stored === undefined) return null;
    const plain = await this.#ports.barrier.open(placeOf(place, RECORD_VERSION), stored.value);
    return { ...decodeRecord(plain), version: stored.version };
  }

  /** A missing value was destroyed between the two reads, or it is lost. */
  async #again(place: SecretPlace, missing: number, version: number | null): Promise<ReadSecret | SecretRecord | null> {
    const record = await this.record(place);
    const row = record === null ? null : readableRow(record, version);
    if (row === null) return record;
    if (row.version === missing) throw new EnvelopeBroken(`the value of version ${missing} is not in the store`);
    return this.read(place, version);
  }

  /** Changes of one secret run one after another: concurrent callers of this instance do not conflict in the store. */
  #change(
    place: SecretPlace,
    by: string,
    decide: (before: SecretRecord | null) => (Changed & { readonly value?: Uint8Array }) | null,
  ): Promise<Written> {
    return this.#changing.run(recordPath(place), () => this.#decide(place, by, decide));
  }

  /** Decides on the stored record, and again when another vault changed it first. */
  async #decide(
    place: SecretPlace,
    by: string,
    decide: (before: SecretRecord | null) => (Changed & { readonly value?: Uint8Array }) | null,
  ): Promise<Written> {
    for (let tries = 0; tries < limits.vault.conflictTriesMax; tries++) {
      const found = await this.#record(place);
      const key = found?.key ?? this.#ports.random(limits.vault.rootKeyBytes);
      try {
        const wish = decide(found?.record ?? null);
        if (wish === null) return { ok: false, latest: found?.record.latest ?? 0 };
        const changes = await this.#changesOf(place, key, found?.version ?? 0, wish);
        const committed = await this.#ports.store.commit(changes);
        if (committed.ok) return { ok: true, record: wish.record, revision: committed.revision };
      } finally {
        key.fill(0);
      }
    }
    throw new Error(`the secret could not be changed: other vaults changed it at every attempt (${by}); try again`);
  }

  async #changesOf(
    place: SecretPlace,
    key: Buffer,
    expect: number,
    { record, destroyed, value }: Changed & { readonly value?: Uint8Array },
  ): Promise<Change[]> {
    const { barrier } = this.#ports;
    const plain = encodeRecord(key, record);
    const closed = await barrier.close(placeOf(place, RECORD_VERSION), plain);
    plain.fill(0);
    const changes: Change[] = [{ path: recordPath(place), value: closed, expect }];
    for (const version of destroyed) changes.push({ path: valuePath(place, version), value: undefined });
    if (value === undefined) return changes;
    const envelope = closeEnvelope(
      key,
      VALUE_TERM,
      placeOf(place, record.latest),
      this.#ports.random(NONCE_LENGTH),
      value,
    );
    changes.push({ path: valuePath(place, record.latest), value: envelope, expect: 0 });
    return changes;
  }
}
