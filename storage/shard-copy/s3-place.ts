/** A place in a bucket: `<prefix><log>/<shard>/<copy>.mdb` and `<prefix><log>/history/<shard>/<piece>.log`. The bucket must exist. */
import { open } from 'node:fs/promises';
import type { S3mini } from 's3mini';
import { putFile } from '#storage/blob/s3.ts';
import { s3Client, type S3Login } from '#storage/blob/s3-client.ts';
import { guarded } from '#storage/blob/s3-fault.ts';
import { listObjects } from '#storage/blob/s3-list.ts';
import { piecesOf, readPieceName } from './piece-name.ts';
import { CopyMissing, readCopyName, type CopyPlace } from './place.ts';

export interface S3CopyPlace extends S3Login {
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** The id of the log. */
  readonly log: string;
}

export class S3Copies implements CopyPlace {
  readonly where: string;
  readonly #login: S3Login;
  /** What all keys begin with. */
  readonly #root: string;
  #client: Promise<S3mini> | null = null;

  constructor({ prefix, log, ...login }: S3CopyPlace) {
    this.#login = login;
    this.#root = `${prefix}${log}/`;
    this.where = `${login.endpoint}/${prefix}`;
  }

  async put(name: string, path: string): Promise<void> {
    const client = await this.#s3();
    const file = await open(path, 'r');
    try {
      await putFile(client, this.#root + name, file, (await file.stat()).size);
    } finally {
      await file.close();
    }
  }

  async *read(name: string): AsyncGenerator<Uint8Array> {
    const client = await this.#s3();
    const response = await guarded(() => client.getObjectRaw(this.#root + name, true)).catch((error: unknown) => {
      if (((error as Error).cause as { status?: number } | undefined)?.status === 404) throw new CopyMissing(name);
      throw error;
    });
    if (response.body !== null) yield* response.body as unknown as AsyncIterable<Uint8Array>;
  }

  list(shard: number): Promise<string[]> {
    return this.#names(String(shard), readCopyName);
  }

  pieces(shard: number): Promise<string[]> {
    return this.#names(piecesOf(shard), readPieceName);
  }

  async #names(folder: string, read: (name: string) => object | null): Promise<string[]> {
    const names: string[] = [];
    for await (const { key } of listObjects(this.#login, `${this.#root}${folder}/`)) {
      const name = key.slice(key.indexOf(this.#root) + this.#root.length);
      if (read(name) !== null) names.push(name);
    }
    return names.toSorted();
  }

  async remove(name: string): Promise<void> {
    const client = await this.#s3();
    await guarded(() => client.deleteObject(this.#root + name));
  }

  #s3(): Promise<S3mini> {
    this.#client ??= s3Client(this.#login);
    return this.#client;
  }
}
