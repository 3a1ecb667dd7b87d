/**
 * Leaves, signed heads and files of one audit log as they lie in the database: plain, or sealed by the keys of the log (../log-seal/value.ts). A signed head says the root of its tree, which is a digest of records, so it is sealed, too; so is the name of a
 * file, which may be the digest of what is in it. Why so: docs/decisions/audit.md AU-29.
 */
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { unnamed, ValueReader, ValueWriter } from '#storage/log-seal/value.ts';
import { LeavesLost, type LeafHead, type SideFile } from './port.ts';
import { splitLeaves } from './rows.ts';

const KIND = 'audit records';

/** A head as its column has it. */
export type StoredHead = LeafHead | { readonly size: number; readonly sealed: string };

/** A row of a file: `path` is what it is found by, `name` the sealed path; null of a plain one. */
export interface FileRow {
  readonly path: string;
  readonly name: Buffer | null;
  readonly bytes: Buffer;
}

/** What one claim of a log writes. */
export class LeafSealer {
  readonly #values: ValueWriter | null;
  readonly #path: (path: string) => string;

  /** Draws a salt: to be made once for each claim. */
  constructor(seal: LogSeal | null, logId: string) {
    this.#values = seal === null ? null : new ValueWriter(seal, KIND, logId);
    this.#path = seal === null ? (path) => path : (path) => seal.nameOf(KIND, logId, seal.current, path);
  }

  /** Says that leaves from this one on are sealed; null where they are not. */
  mark(size: number): Buffer | null {
    return this.#values?.close(boundOf('mark'), Buffer.from(String(size))) ?? null;
  }

  /** To be called once for each write: what is sent again are the same bytes. */
  leaves(first: number, count: number, bytes: Buffer): Buffer {
    return this.#values?.close(boundOf('leaves', first, count), bytes) ?? bytes;
  }

  head({ size, root, note }: LeafHead): StoredHead {
    if (this.#values === null) return { size, root, note };
    const sealed = this.#values.close(boundOf('head', size), Buffer.from(JSON.stringify([root, note])));
    return { size, sealed: sealed.toString('base64') };
  }

  file([path, bytes]: SideFile): FileRow {
    const found = this.#path(path);
    if (this.#values === null) return { path, name: null, bytes: Buffer.from(bytes) };
    const name = this.#values.close(boundOf('name', found), Buffer.from(path));
    return { path: found, name, bytes: this.#values.close(boundOf('file', found), bytes) };
  }
}

export interface LeafRow {
  readonly first: number;
  readonly count: number;
  readonly bytes: Buffer;
}

/** Opens what claims of a log have written. */
export class LeafOpener {
  readonly #seal: LogSeal | null;
  readonly #logId: string;
  readonly #values: ValueReader;

  constructor(seal: LogSeal | null, logId: string) {
    this.#seal = seal;
    this.#logId = logId;
    this.#values = new ValueReader(seal, KIND, logId);
  }

  /** From which leaf on they are sealed; Infinity without a mark. Rejects with EngineRefused where a key is not there, and with LeavesLost where it is no mark of this log. */
  async from(mark: Buffer | null): Promise<number> {
    if (mark === null) return Infinity;
    if (this.#seal === null) throw unnamed(`${KIND} in the database of the log are sealed`);
    return Number((await this.#opened('the mark', boundOf('mark'), mark)).toString());
  }

  /** Rejects likewise, also where a row is plain behind the mark, and as `splitLeaves`. */
  async leaves({ first, count, bytes }: LeafRow, from: number): Promise<Buffer[]> {
    if (first < from) return splitLeaves(bytes, count);
    return splitLeaves(await this.#opened(`record ${first}`, boundOf('leaves', first, count), bytes), count);
  }

  async head(head: StoredHead | null): Promise<LeafHead | null> {
    if (head === null || !('sealed' in head)) return head;
    const { size, sealed } = head;
    const text = await this.#opened('the signed head', boundOf('head', size), Buffer.from(sealed, 'base64'));
    const [root, note] = JSON.parse(text.toString()) as [string, string];
    return { size, root, note };
  }

  async path({ path, name }: Pick<FileRow, 'path' | 'name'>): Promise<string> {
    return name === null ? path : (await this.#opened(`a file's name`, boundOf('name', path), name)).toString();
  }

  /** By what a file may be found, under each key that the log has had. */
  places(path: string): string[] {
    const seal = this.#seal;
    return [path, ...(seal?.numbers.map((no) => seal.nameOf(KIND, this.#logId, no, path)) ?? [])];
  }

  async file({ path, name, bytes }: FileRow): Promise<Buffer> {
    return name === null ? bytes : this.#opened('a file', boundOf('file', path), bytes);
  }

  async #opened(what: string, bound: string, value: Buffer): Promise<Buffer> {
    await this.#values.know([value]);
    const plain = this.#values.open(bound, value);
    if (plain !== null) return plain;
    throw new LeavesLost(`${what} of ${this.#logId} was changed, moved, is not sealed, or was sealed by another key`);
  }
}

const boundOf = (part: string, ...place: readonly (number | string)[]): string => JSON.stringify([part, ...place]);
