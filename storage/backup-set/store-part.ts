/** Parts into a place: each is hashed on its way, encrypted where the set is, and stored only where the place does not have it yet. */
import { createHash, type Hash } from 'node:crypto';
import { encrypterFor, partName, type PartEncryption } from './encryption.ts';
import type { PartRef } from './manifest.ts';
import type { BackupPlace, PartUpload } from './place.ts';

export interface Storing {
  readonly place: BackupPlace;
  readonly encryption: PartEncryption | null;
}

export interface StoredRef {
  readonly part: PartRef;
  /** Whether the place had it already. */
  readonly known: boolean;
}

/** A part that is written piece by piece, and named when it has ended. */
export class PartWriter {
  readonly #to: Storing;
  readonly #upload: PartUpload;
  readonly #hash: Hash = createHash('sha256');
  readonly #through: Sealing | null;
  #bytes = 0;

  private constructor(to: Storing, upload: PartUpload, through: Sealing | null) {
    this.#to = to;
    this.#upload = upload;
    this.#through = through;
  }

  static async begin(to: Storing): Promise<PartWriter> {
    const { encryption } = to;
    const sealing = encryption === null ? null : await Sealing.begin(encryption);
    const upload = await to.place.begin();
    sealing?.into(upload);
    return new PartWriter(to, upload, sealing);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await (this.#through ?? this.#upload).write(bytes);
  }

  /** Stores the part, unless the place has it. */
  async end(): Promise<StoredRef> {
    await this.#through?.end();
    const part = { sha256: this.#hash.digest('hex'), bytes: this.#bytes };
    const known = await isThere(this.#to, part);
    if (!known) await this.#upload.publish(partName(part.sha256, this.#to.encryption));
    await this.#upload.drop();
    return { part, known };
  }

  async drop(): Promise<void> {
    await this.#through?.abort();
    await this.#upload.drop();
  }
}

/** Bytes on their way through age into an upload. */
class Sealing {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #sealed: AsyncIterable<Uint8Array>;
  #done: Promise<void> = Promise.resolve();

  private constructor(writer: WritableStreamDefaultWriter<Uint8Array>, sealed: AsyncIterable<Uint8Array>) {
    this.#writer = writer;
    this.#sealed = sealed;
  }

  static async begin(encryption: PartEncryption): Promise<Sealing> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const sealed = await (await encrypterFor(encryption)).encrypt(readable);
    return new Sealing(writable.getWriter(), sealed);
  }

  into(upload: PartUpload): void {
    this.#done = this.#pump(upload);
    this.#done.catch(() => undefined); // `write` and `end` report it
  }

  async #pump(upload: PartUpload): Promise<void> {
    try {
      for await (const piece of this.#sealed) await upload.write(piece);
    } catch (error) {
      await this.#writer.abort(error).catch(() => undefined);
      throw error;
    }
  }

  /** Rejects with the reason when the upload has failed. */
  async write(bytes: Uint8Array): Promise<void> {
    await Promise.race([this.#writer.write(bytes), this.#done.then(() => this.#writer.closed)]);
  }

  async end(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#done]);
  }

  async abort(): Promise<void> {
    await this.#writer.abort().catch(() => undefined);
    await this.#done.catch(() => undefined);
  }
}

/** Whether the place has a part, whole as far as its length says. */
export async function isThere({ place, encryption }: Storing, part: PartRef): Promise<boolean> {
  const size = await place.sizeOf(partName(part.sha256, encryption));
  return size !== null && (encryption === null ? size === part.bytes : size >= part.bytes);
}

/** Stores pieces. `onPiece` runs after each. */
export async function storePieces(
  to: Storing,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onPiece: () => Promise<void> = () => Promise.resolve(),
): Promise<StoredRef> {
  const writer = await PartWriter.begin(to);
  try {
    for await (const piece of pieces) {
      await writer.write(piece);
      await onPiece();
    }
    return await writer.end();
  } catch (error) {
    await writer.drop();
    throw error;
  }
}
