/**
 * The keys that sign JWTs, in one record of the store. A new key is published before it signs. The key before it stays published until the last
 * token signed with it has expired:
 *
 *   made ── lead: in the key set, signs nothing ──▶ signs ── the next one signs ──▶ verifies only ── longest token ──▶ gone
 */
import { limits } from '#config/limits.ts';
import { jwtKeyOf, type JwtKey } from '../pki/jwt.ts';
import { keyPlace, makeKey, openKey } from './key-envelope.ts';
import { encodeRecord, readRecord, type PkiPorts } from './ports.ts';

/** One key as the store has it. */
interface KeyRow {
  /** 1, 2, 3, …: the version that its envelope is bound to. */
  readonly generation: number;
  readonly key: string;
  /** The key signs from this time on. */
  readonly signs_ms: number;
}

interface KeysRecord {
  /** Newest first. */
  readonly keys?: readonly KeyRow[];
  /** The only key of a store that an earlier version wrote. */
  readonly key?: string;
}

const rowsOf = ({ keys, key }: KeysRecord): readonly KeyRow[] => keys ?? [{ generation: 1, key: key!, signs_ms: 0 }];

export interface RingKey extends JwtKey {
  readonly signsMs: number;
}

const PATH = 'pki/jwt';
const placeOf = (generation: number) => keyPlace(PATH, generation);

interface Ring {
  readonly version: number;
  /** Newest first. */
  readonly keys: readonly RingKey[];
}

export class JwtKeys {
  readonly #ports: PkiPorts;
  #ring: Promise<Ring> | null = null;
  #readMs = -Infinity;

  constructor(ports: PkiPorts) {
    this.#ports = ports;
  }

  /** All keys that verify, newest first. The first key is made on first use. */
  async all(): Promise<readonly RingKey[]> {
    return (await this.#open()).keys;
  }

  /** The key that signs now. */
  async signing(): Promise<JwtKey> {
    const { keys } = await this.#open();
    const nowMs = this.#ports.clock.now();
    return keys.find(({ signsMs }) => signsMs <= nowMs) ?? keys.at(-1)!;
  }

  /** The key of a name; another instance may have just made it. */
  async named(kid: string): Promise<JwtKey | undefined> {
    const find = async () => (await this.#open()).keys.find(({ jwk }) => jwk.kid === kid);
    const known = await find();
    if (known !== undefined || this.#ports.clock.now() < this.#readMs + limits.pki.jwtKeysReadMs) return known;
    this.#ring = null;
    return find();
  }

  /**
   * A new key, which signs after the lead. With `dropsOthers` it signs at once and no earlier token counts any more. Null where another change came
   * first.
   */
  async rotate(dropsOthers: boolean): Promise<readonly RingKey[] | null> {
    await this.#open();
    const { record, version } = (await readRecord<KeysRecord>(this.#ports.store, PATH))!;
    const rows = rowsOf(record);
    const nowMs = this.#ports.clock.now();
    const row = await this.#newRow(rows[0]!.generation + 1, dropsOthers ? nowMs : nowMs + limits.pki.jwtKeyLeadMs);
    if (!(await this.#put([row, ...(dropsOthers ? [] : rows)], version))) return null;
    return this.all();
  }

  /** Periodic work: makes a new key in time, drops a key that no valid token needs, loads the changes of other instances. */
  async tend(): Promise<void> {
    const { version } = await this.#open();
    const kept = (await readRecord<KeysRecord>(this.#ports.store, PATH))!;
    const rows = rowsOf(kept.record);
    if (kept.version !== version) this.#ring = null;
    const nowMs = this.#ports.clock.now();
    // A key goes when its successor has signed for as long as a token lives.
    const needed = rows.filter((_, at) => {
      const next = rows[at - 1];
      return next === undefined || nowMs < next.signs_ms + limits.pki.jwtMsMax + limits.pki.jwtLeewayMs;
    });
    if (needed.length < rows.length) await this.#put(needed, kept.version);
    else if (nowMs >= rows[0]!.signs_ms + limits.pki.jwtKeyMs) await this.rotate(false);
  }

  async #put(keys: readonly KeyRow[], expect: number): Promise<boolean> {
    const { ok } = await this.#ports.store.commit([{ path: PATH, value: encodeRecord({ keys }), expect }]);
    this.#ring = null;
    return ok;
  }

  async #newRow(generation: number, signsMs: number): Promise<KeyRow> {
    const { closed } = await makeKey(this.#ports, placeOf(generation));
    return { generation, key: closed, signs_ms: signsMs };
  }

  async #open(): Promise<Ring> {
    try {
      this.#ports.assertOpen();
    } catch (error) {
      this.#ring = null; // a sealed vault forgets its keys
      throw error;
    }
    const opening = (this.#ring ??= this.#read());
    return opening.catch((error: unknown) => {
      if (this.#ring === opening) this.#ring = null;
      throw error;
    });
  }

  /** The record, made where there is none. When two instances make it, one wins and both open its keys. */
  async #read(): Promise<Ring> {
    const { store, clock } = this.#ports;
    let kept = await readRecord<KeysRecord>(store, PATH);
    if (kept === null) {
      const value = encodeRecord({ keys: [await this.#newRow(1, clock.now())] });
      await store.commit([{ path: PATH, value, expect: 0 }]);
      kept = (await readRecord<KeysRecord>(store, PATH))!;
    }
    this.#readMs = clock.now();
    const keys = await Promise.all(
      rowsOf(kept.record).map(async ({ generation, key, signs_ms }) => ({
        ...jwtKeyOf(await openKey(this.#ports, placeOf(generation), key)),
        signsMs: signs_ms,
      })),
    );
    return { version: kept.version, keys };
  }
}
