/** Frames of a tenant's backup into a part, with the digest behind the last one. */
import { createHash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { MAGIC, type Kind } from '#storage/backup/format.ts';
import { frameHead, type FrameSink } from '#storage/backup/frame-writer.ts';
import type { PartWriter, StoredRef } from './store-part.ts';

export class FramesIntoPart implements FrameSink {
  readonly #part: Pick<PartWriter, 'write' | 'end' | 'drop'>;
  readonly #hash = createHash('sha256');
  #waiting: Uint8Array[] = [MAGIC];
  #waitingBytes = MAGIC.length;

  constructor(part: Pick<PartWriter, 'write' | 'end' | 'drop'>) {
    this.#part = part;
  }

  async add(kind: Kind, payload: Uint8Array): Promise<void> {
    this.#waiting.push(frameHead(kind, payload), payload);
    this.#waitingBytes += payload.length;
    if (this.#waitingBytes >= limits.backup.readBytes) await this.#flush();
  }

  addJson(kind: Kind, value: object): Promise<void> {
    return this.add(kind, Buffer.from(JSON.stringify(value)));
  }

  async end(): Promise<StoredRef> {
    await this.#flush();
    await this.#part.write(this.#hash.digest());
    return this.#part.end();
  }

  drop(): Promise<void> {
    return this.#part.drop();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#hash.update(bytes);
    await this.#part.write(bytes);
  }
}
