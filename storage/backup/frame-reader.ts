/** Frames out of a file, each checked; the digest behind the last one is checked too. */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { limits } from '#config/limits.ts';
import { BackupFault, DIGEST_BYTES, frameCrc, HEAD_BYTES, KIND, MAGIC } from './format.ts';

export interface Frame {
  readonly kind: number;
  /** The reader's no more: its buffer is its own. */
  readonly payload: Buffer;
  /** Place of the frame in the file. */
  readonly at: number;
}

/** Every frame in order. Throws BackupFault at the first byte that is not as it was written; the last frame came whole before that. */
export async function* readFrames(path: string): AsyncGenerator<Frame, string> {
  const source = await Source.open(path);
  try {
    const magic = await source.take(MAGIC.length, 'its beginning');
    if (!magic.equals(MAGIC)) throw new BackupFault(path, 'is no backup of a tenant');
    for (;;) {
      const frame = await readFrame(source);
      yield frame;
      if (frame.kind === KIND.trailer) break;
    }
    return await checkDigest(source);
  } finally {
    await source.close();
  }
}

async function readFrame(source: Source): Promise<Frame> {
  const { at } = source;
  const head = await source.take(HEAD_BYTES, 'a frame');
  const length = head.readUInt32LE(0);
  if (length > limits.backup.frameBytesMax) throw source.altered(at);
  const payload = await source.take(length, 'a frame');
  if (frameCrc(head[8]!, payload) !== head.readUInt32LE(4)) throw source.altered(at);
  return { kind: head[8]!, payload, at };
}

async function checkDigest(source: Source): Promise<string> {
  const { at } = source;
  const expected = source.digest();
  const stored = await source.take(DIGEST_BYTES, 'its digest');
  if (!stored.equals(expected)) throw source.altered(at);
  await source.end();
  return expected.toString('hex');
}

class Source {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #chunk: Buffer = Buffer.alloc(0);
  #used = 0;
  /** Bytes taken so far. */
  at = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  static async open(path: string): Promise<Source> {
    try {
      return new Source(path, await open(path, 'r'));
    } catch (error) {
      throw new BackupFault(path, `cannot be read: ${(error as Error).message}`);
    }
  }

  altered(at: number): BackupFault {
    return new BackupFault(
      this.#path,
      `was altered: what lies at byte ${at} is not what was written; use another backup`,
    );
  }

  /** The next bytes, in a buffer of their own. */
  async take(length: number, what: string): Promise<Buffer> {
    const out = Buffer.allocUnsafeSlow(Math.min(length, limits.backup.readBytes));
    const pieces: Buffer[] = [];
    let have = 0;
    while (have < length) {
      if (this.#used === this.#chunk.length && !(await this.#fill())) throw this.#truncated(what);
      const part = this.#chunk.subarray(this.#used, this.#used + length - have);
      if (length <= out.length) out.set(part, have);
      else pieces.push(Buffer.from(part));
      this.#used += part.length;
      have += part.length;
    }
    this.at += length;
    const bytes = length <= out.length ? out : Buffer.concat(pieces);
    this.#hash.update(bytes);
    return bytes;
  }

  #truncated(what: string): BackupFault {
    return new BackupFault(this.#path, `was truncated: it ends within ${what} at byte ${this.at}; use another backup`);
  }

  async #fill(): Promise<boolean> {
    const chunk = Buffer.allocUnsafeSlow(limits.backup.readBytes);
    try {
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length);
      this.#chunk = chunk.subarray(0, bytesRead);
      this.#used = 0;
      return bytesRead > 0;
    } catch (error) {
      throw new BackupFault(this.#path, `cannot be read: ${(error as Error).message}`);
    }
  }

  /** Of everything that was taken. */
  digest(): Buffer {
    return this.#hash.copy().digest();
  }

  async end(): Promise<void> {
    if (this.#used < this.#chunk.length || (await this.#fill())) throw this.altered(this.at);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
