/**
 * Blobs in a bucket of an S3-speaking store, under a prefix that is their owner's alone: `<prefix><first two digits>/<sha256>`. A file
 * comes by way of a local spool, since its key is known when all of it is there, and is durable once the store has answered. The bucket must exist: nothing here makes one.
 */
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3mini } from 's3mini';
import { makeDirectory } from '../directory.ts';
import { StorageFull } from '../fault.ts';
import { DirectoryDerived, sweepDerived } from './derived.ts';
import type { AdmitsBytes } from './directory.ts';
import { Holds } from './holds.ts';
import type { BlobReceipt, BlobStore, BlobUpload, Digest, IsUsed } from './port.ts';
import { DirectoryPartials } from './partial.ts';
import { roomFor } from './room-for.ts';
import { s3Client, type S3Login } from './s3-client.ts';
import { bytesSaid, guarded, S3Failed } from './s3-fault.ts';
import { listObjects } from './s3-list.ts';

/** Parts of larger files; what the protocol allows begins at 5 MiB and ends at 10,000 parts. */
const PART_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
/** Within the spool. */
const DERIVED = 'derived';
const PARTIAL = 'partial';
const DIGEST = /^[0-9a-f]{64}$/;

export interface S3Place extends S3Login {
  /** Ends with a slash. */
  readonly prefix: string;
  /** A directory for files on their way. */
  readonly spool: string;
  /** Whether the disk of the spool has room for so many bytes; always, when left out. */
  readonly admits?: AdmitsBytes;
}

export class S3Blobs implements BlobStore {
  /** A key is replaced whole, and not under a condition that every such store knows. */
  readonly notes = null;
  readonly derived: DirectoryDerived;
  readonly partials: DirectoryPartials;
  readonly #place: S3Place;
  #client: Promise<S3mini> | null = null;
  readonly #holds = new Holds();

  constructor(place: S3Place) {
    this.#place = place;
    const { spool, admits = () => true } = place;
    this.derived = new DirectoryDerived(join(spool, DERIVED), spool, admits);
    this.partials = new DirectoryPartials(join(spool, PARTIAL), spool, admits);
  }

  async begin(): Promise<BlobUpload> {
    const path = join(makeDirectory(this.#place.spool), randomUUID());
    const handle = await open(path, 'wx+', 0o600);
    return new S3Upload(handle, path, (sha256, file, size) => this.#put(sha256, file, size), this.#place.admits);
  }

  async size(sha256: Digest): Promise<number | null> {
    const client = await this.#s3();
    return guarded(async () => {
      if ((await client.objectExists(this.#keyOf(sha256))) !== true) return null;
      return bytesSaid(await client.getContentLength(this.#keyOf(sha256)));
    });
  }

  async *read(sha256: Digest, from: number, to: number): AsyncGenerator<Uint8Array> {
    const client = await this.#s3();
    if (from >= to) {
      if ((await this.size(sha256)) === null) throw new S3Failed(`no blob ${sha256}`);
      return;
    }
    const response = await guarded(() => client.getObjectRaw(this.#keyOf(sha256), false, from, to));
    if (response.body === null) throw new S3Failed(`no blob ${sha256}`);
    let read = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      read += piece.byteLength;
      yield new Uint8Array(piece);
    }
    if (read !== to - from) throw new S3Failed(`blob ${sha256}: ${read} bytes came of ${to - from}`);
  }

  async sweep(beforeMs: number, isUsed: IsUsed, yieldTurn: () => Promise<void>): Promise<number> {
    const client = await this.#s3();
    let removed = 0;
    for await (const { key, storedMs } of listObjects(this.#place, this.#place.prefix)) {
      const sha256 = nameOf(key);
      if (this.#holds.any) return removed;
      if (DIGEST.test(sha256) && storedMs < beforeMs && !(await isUsed(sha256))) {
        if (await guarded(() => client.deleteObject(key))) {
          this.derived.remove(sha256);
          removed++;
        }
      }
      await yieldTurn();
    }
    await sweepDerived(this.derived, async (sha256) => (await this.size(sha256)) !== null, yieldTurn);
    return removed;
  }

  async bytes(): Promise<number> {
    let bytes = await this.derived.bytes();
    for await (const { size } of this.#listed()) bytes += size;
    return bytes;
  }

  async *digests(): AsyncGenerator<Digest> {
    for await (const { sha256 } of this.#listed()) yield sha256;
  }

  async *#listed(): AsyncGenerator<BlobReceipt> {
    for await (const { key, bytes } of listObjects(this.#place, this.#place.prefix))
      if (DIGEST.test(nameOf(key))) yield { sha256: nameOf(key), size: bytes };
  }

  hold(): () => void {
    return this.#holds.take();
  }

  async erase(): Promise<void> {
    await this.sweep(
      Infinity,
      () => false,
      () => Promise.resolve(),
    );
    await this.derived.erase();
    await this.partials.erase();
  }

  #keyOf(sha256: Digest): string {
    return `${this.#place.prefix}${sha256.slice(0, 2)}/${sha256}`;
  }

  #s3(): Promise<S3mini> {
    this.#client ??= s3Client(this.#place);
    return this.#client;
  }

  async #put(sha256: Digest, file: FileHandle, size: number): Promise<void> {
    await putFile(await this.#s3(), this.#keyOf(sha256), file, size);
  }
}

/** Puts a file whole, in parts where it is large; the store has it when this resolves, and nothing of it otherwise. */
export async function putFile(client: S3mini, key: string, file: FileHandle, size: number): Promise<void> {
  await guarded(async () => {
    if (size <= PART_BYTES) await client.putObject(key, await partOf(file, 0, size), 'application/octet-stream');
    else await putParts(client, key, file, size);
  });
}

async function putParts(client: S3mini, key: string, file: FileHandle, size: number): Promise<void> {
  const id = await client.getMultipartUploadId(key, 'application/octet-stream');
  try {
    const parts = [];
    for (let at = 0; at < size; at += PART_BYTES) {
      const bytes = await partOf(file, at, Math.min(PART_BYTES, size - at));
      parts.push(await client.uploadPart(key, id, bytes, parts.length + 1));
    }
    await client.completeMultipartUpload(key, id, parts);
  } catch (error) {
    await client.abortMultipartUpload(key, id).catch(() => undefined);
    throw error;
  }
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

class S3Upload implements BlobUpload {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #put: (sha256: Digest, file: FileHandle, size: number) => Promise<void>;
  readonly #admits: AdmitsBytes;
  readonly #hash: Hash = createHash('sha256');
  #size = 0;
  #sha256: Digest | null = null;
  #closed = false;

  constructor(
    handle: FileHandle,
    path: string,
    put: (sha256: Digest, file: FileHandle, size: number) => Promise<void>,
    admits: AdmitsBytes = () => true,
  ) {
    this.#admits = admits;
    this.#handle = handle;
    this.#path = path;
    this.#put = put;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#admits(bytes.byteLength)) throw new StorageFull('disk');
    this.#hash.update(bytes);
    this.#size += bytes.byteLength;
    await roomFor(this.#handle.writeFile(bytes));
  }

  seal(): Promise<BlobReceipt> {
    this.#sha256 ??= this.#hash.digest('hex');
    return Promise.resolve({ sha256: this.#sha256, size: this.#size });
  }

  /** The store has answered for all of it: that is as durable as it gets here. */
  async publish(): Promise<void> {
    if (this.#sha256 === null) throw new Error('an upload is sealed before it is published');
    await this.#put(this.#sha256, this.#handle, this.#size);
    await this.drop();
  }

  async drop(): Promise<void> {
    if (!this.#closed) await this.#handle.close();
    this.#closed = true;
    await rm(this.#path, { force: true });
  }
}

async function partOf(file: FileHandle, from: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(bytes, at, Math.min(READ_BYTES * 16, size - at), from + at);
    if (bytesRead === 0) throw new Error('the spooled file is too short');
    at += bytesRead;
  }
  return bytes;
}
