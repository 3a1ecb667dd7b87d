/** Frames into a new file that has its name only when it is whole and durable. */
import { createHash, randomUUID } from 'node:crypto';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { limits } from '#config/limits.ts';
import { syncDirectoryAsync } from '../directory.ts';
import { BackupFault, frameCrc, HEAD_BYTES, MAGIC, type Kind } from './format.ts';

/** What frames are written into. */
export interface FrameSink {
  /** Adds a frame; resolves when more may come. */
  add(kind: Kind, payload: Uint8Array): Promise<void>;
  addJson(kind: Kind, value: object): Promise<void>;
}

/** The head of a frame. */
export function frameHead(kind: Kind, payload: Uint8Array): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32LE(payload.length, 0);
  head.writeUInt32LE(frameCrc(kind, payload), 4);
  head[8] = kind;
  return head;
}

export class FrameWriter implements FrameSink {
  readonly #path: string;
  /** Where it grows: a name that no two writers share. */
  readonly partial: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Bytes given to it so far. */
  bytes = 0;

  private constructor(path: string, partial: string, handle: FileHandle) {
    this.#path = path;
    this.partial = partial;
    this.#handle = handle;
  }

  /** Begins beside `path`, readable by its owner alone. Throws BackupFault when the directory cannot be written. */
  static async create(path: string): Promise<FrameWriter> {
    const partial = `${path}.${randomUUID().slice(0, 8)}.partial`;
    try {
      const writer = new FrameWriter(path, partial, await open(partial, 'wx', 0o600));
      writer.#push(MAGIC);
      return writer;
    } catch (error) {
      throw new BackupFault(path, `cannot be written: ${(error as Error).message}`);
    }
  }

  /** A file that `write` fills: it has its name when it is whole and durable, and nothing is left of it where `write` fails. Throws BackupFault as `create`, and where another file has the name. */
  static async whole<T>(path: string, write: (writer: FrameWriter) => Promise<T>): Promise<T> {
    const writer = await FrameWriter.create(path);
    try {
      const written = await write(writer);
      await writer.seal();
      await writer.publish(false);
      return written;
    } catch (error) {
      await writer.drop();
      throw error;
    }
  }

  async add(kind: Kind, payload: Uint8Array): Promise<void> {
    this.#push(frameHead(kind, payload));
    this.#push(payload);
    if (this.#waitingBytes >= limits.backup.readBytes) await this.#flush();
  }

  addJson(kind: Kind, value: object): Promise<void> {
    return this.add(kind, Buffer.from(JSON.stringify(value)));
  }

  /** Adds the digest and makes the file durable, still under its partial name. Gives the digest. */
  async seal(): Promise<string> {
    await this.#flush();
    const digest = this.#hash.copy().digest();
    this.#push(digest);
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    return digest.toString('hex');
  }

  /** Gives the file its name. Throws BackupFault where another one has it and `over` is not wished. */
  async publish(over: boolean): Promise<void> {
    if (over) await rename(this.partial, this.#path);
    else await this.#nameIt();
    await syncDirectoryAsync(dirname(this.#path));
  }

  /** A link takes no name that is taken, a rename would. */
  async #nameIt(): Promise<void> {
    await link(this.partial, this.#path).catch(({ code, message }: NodeJS.ErrnoException) => {
      const why = code === 'EEXIST' ? 'the file is there already: name another one' : `cannot be named: ${message}`;
      throw new BackupFault(this.#path, why);
    });
    await rm(this.partial);
  }

  async drop(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.partial, { force: true });
  }

  #push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.bytes += bytes.length;
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#hash.update(bytes);
    try {
      for (let at = 0; at < bytes.length;) at += (await this.#handle.write(bytes, at)).bytesWritten;
    } catch (error) {
      throw new BackupFault(this.#path, `cannot be written: ${(error as Error).message}`);
    }
  }
}
