/**
 * A place in a bucket: `<prefix>parts/<first two digits>/<name>`, `<prefix>sets/<id>.json`,
 * `<prefix>journal/<thousand>/<chunk>`. What is on its way in lies in a spool on the
 * node's disk, since its key is known when all of it is there. The bucket must exist.
 */
import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3mini } from 's3mini';
import type { AdmitsBytes } from '#storage/blob/directory.ts';
import { roomFor } from '#storage/blob/room-for.ts';
import { putFile } from '#storage/blob/s3.ts';
import { s3Client, type S3Login } from '#storage/blob/s3-client.ts';
import { bytesSaid, guarded } from '#storage/blob/s3-fault.ts';
import { listObjects, type Stored } from '#storage/blob/s3-list.ts';
import { makeDirectory } from '../directory.ts';
import { StorageFull } from '../fault.ts';
import { CHUNK_NAME, chunkFolder, CHUNKS, PART_NAME, PartMissing, SET_ID } from './place.ts';
import type { BackupPlace, PartUpload, StoredPart } from './place.ts';

export interface S3BackupPlace extends S3Login {
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly spool: string;
  /** Whether the disk of the spool has room for so many bytes. */
  readonly admits: AdmitsBytes;
}

export class S3Place implements BackupPlace {
  readonly where: string;
  readonly #place: S3BackupPlace;
  #client: Promise<S3mini> | null = null;

  constructor(place: S3BackupPlace) {
    this.#place = place;
    this.where = `${place.endpoint}/${place.prefix}`;
  }

  async begin(): Promise<PartUpload> {
    const path = join(makeDirectory(this.#place.spool), randomUUID());
    const handle = await open(path, 'wx+', 0o600);
    return new SpooledUpload(handle, path, this.#place.admits, async (name, size) =>
      putFile(await this.#s3(), this.#keyOf(name), handle, size),
    );
  }

  async sizeOf(part: string): Promise<number | null> {
    const client = await this.#s3();
    return guarded(async () => {
      if ((await client.objectExists(this.#keyOf(part))) !== true) return null;
      return bytesSaid(await client.getContentLength(this.#keyOf(part)));
    });
  }

  async *read(part: string): AsyncGenerator<Uint8Array> {
    const client = await this.#s3();
    const response = await guarded(() => client.getObjectRaw(this.#keyOf(part), true)).catch((error: unknown) => {
      if (((error as Error).cause as { status?: number } | undefined)?.status === 404) throw new PartMissing(part);
      throw error;
    });
    if (response.body !== null) yield* response.body as unknown as AsyncIterable<Uint8Array>;
  }

  async *parts(): AsyncGenerator<StoredPart> {
    for await (const { key, storedMs } of this.#listed('parts/')) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (PART_NAME.test(name)) yield { name, storedMs };
    }
  }

  async removePart(part: string): Promise<void> {
    const client = await this.#s3();
    await guarded(() => client.deleteObject(this.#keyOf(part)));
  }

  async sets(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { key } of this.#listed('sets/')) {
      const id = /([^/]+)\.json$/.exec(key)?.[1] ?? '';
      if (SET_ID.test(id)) ids.push(id);
    }
    return ids.toSorted();
  }

  async readSet(id: string): Promise<string | null> {
    const client = await this.#s3();
    return guarded(() => client.getObject(this.#setKey(id)));
  }

  async writeSet(id: string, text: string): Promise<void> {
    const client = await this.#s3();
    await guarded(() => client.putObject(this.#setKey(id), text, 'application/json'));
  }

  async removeSet(id: string): Promise<void> {
    const client = await this.#s3();
    await guarded(() => client.deleteObject(this.#setKey(id)));
  }

  async chunks(): Promise<string[]> {
    const names: string[] = [];
    for await (const { key } of this.#listed(`${CHUNKS}/`)) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (CHUNK_NAME.test(name)) names.push(name);
    }
    return names.toSorted();
  }

  async writeChunk(name: string, bytes: Uint8Array): Promise<void> {
    const client = await this.#s3();
    await guarded(() => client.putObject(this.#chunkKey(name), Buffer.from(bytes), 'application/octet-stream'));
  }

  async readChunk(name: string): Promise<Buffer | null> {
    const client = await this.#s3();
    const bytes = await guarded(() => client.getObjectArrayBuffer(this.#chunkKey(name)));
    return bytes === null ? null : Buffer.from(bytes);
  }

  async removeChunk(name: string): Promise<void> {
    const client = await this.#s3();
    await guarded(() => client.deleteObject(this.#chunkKey(name)));
  }

  #chunkKey(name: string): string {
    return `${this.#place.prefix}${CHUNKS}/${chunkFolder(name)}/${name}`;
  }

  #keyOf(part: string): string {
    return `${this.#place.prefix}parts/${part.slice(0, 2)}/${part}`;
  }

  #setKey(id: string): string {
    return `${this.#place.prefix}sets/${id}.json`;
  }

  #s3(): Promise<S3mini> {
    this.#client ??= s3Client(this.#place);
    return this.#client;
  }

  #listed(under: string): AsyncGenerator<Stored> {
    return listObjects(this.#place, this.#place.prefix + under);
  }
}

class SpooledUpload implements PartUpload {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #admits: AdmitsBytes;
  readonly #put: (name: string, size: number) => Promise<void>;
  #size = 0;
  #open = true;

  constructor(
    handle: FileHandle,
    path: string,
    admits: AdmitsBytes,
    put: (name: string, size: number) => Promise<void>,
  ) {
    this.#handle = handle;
    this.#path = path;
    this.#admits = admits;
    this.#put = put;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#admits(bytes.byteLength)) throw new StorageFull('disk');
    this.#size += bytes.byteLength;
    await roomFor(this.#handle.writeFile(bytes));
  }

  publish(name: string): Promise<void> {
    return this.#put(name, this.#size);
  }

  async drop(): Promise<void> {
    if (this.#open) await this.#handle.close();
    this.#open = false;
    await rm(this.#path, { force: true });
  }
}
