/** A disk in memory that knows what a crash would leave: synced bytes for certain, unsynced ones up to a cut. */
import type { LogDisk, LogFile } from '#storage/log/disk.ts';

interface Bytes {
  seen: Buffer;
  /** What is on the platter for certain. */
  durable: Buffer;
}

export type DiskOperation = 'open' | 'write' | 'sync' | 'truncate' | 'save' | 'remove';

export class MemoryDisk implements LogDisk {
  readonly files = new Map<string, Bytes>();
  /** Called before every operation that changes something; may wait or reject. */
  before: (operation: DiskOperation, name: string) => Promise<void> = () => Promise.resolve();
  /** Bytes that fit; a write that does not leaves what fitted and rejects with ENOSPC. */
  capacity = Infinity;

  async names(): Promise<readonly string[]> {
    return [...this.files.keys()];
  }

  async size(name: string): Promise<number> {
    return this.#file(name).seen.length;
  }

  async read(name: string, position: number, length: number): Promise<Buffer> {
    return Buffer.from(this.#file(name).seen.subarray(position, position + length));
  }

  async open(name: string): Promise<LogFile> {
    await this.before('open', name);
    if (!this.files.has(name)) this.files.set(name, { seen: Buffer.alloc(0), durable: Buffer.alloc(0) });
    return new MemoryFile(this, name, this.#file(name));
  }

  async save(name: string, bytes: Uint8Array): Promise<void> {
    await this.before('save', name);
    this.files.set(name, { seen: Buffer.from(bytes), durable: Buffer.from(bytes) });
  }

  async rewrite(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    await this.save(name, Buffer.concat(all));
  }

  async remove(name: string): Promise<void> {
    await this.before('remove', name);
    for (const other of this.files.keys())
      if (other === name || other.startsWith(`${name}.torn-`)) this.files.delete(other);
  }

  /** The disk after a crash now; `keep` says how many of a file's unsynced bytes reached it. */
  crash(keep: (unsynced: number) => number): MemoryDisk {
    const after = new MemoryDisk();
    for (const [name, { seen, durable }] of this.files) {
      const kept = durable.length + keep(Math.max(0, seen.length - durable.length));
      const bytes = Buffer.concat([durable, seen.subarray(durable.length, kept)]);
      after.files.set(name, { seen: bytes, durable: bytes });
    }
    return after;
  }

  text(name: string): string {
    return this.#file(name).seen.toString();
  }

  used(): number {
    let bytes = 0;
    for (const file of this.files.values()) bytes += file.seen.length;
    return bytes;
  }

  #file(name: string): Bytes {
    const file = this.files.get(name);
    if (file === undefined) throw Object.assign(new Error(`no file ${name}`), { code: 'ENOENT' });
    return file;
  }
}

class MemoryFile implements LogFile {
  readonly #disk: MemoryDisk;
  readonly #name: string;
  readonly #bytes: Bytes;

  constructor(disk: MemoryDisk, name: string, bytes: Bytes) {
    this.#disk = disk;
    this.#name = name;
    this.#bytes = bytes;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    await this.#disk.before('write', this.#name);
    const room = this.#disk.capacity - this.#disk.used();
    const fitting = bytes.subarray(0, Math.max(0, Math.min(bytes.length, room)));
    this.#bytes.seen = Buffer.concat([this.#bytes.seen.subarray(0, position), fitting]);
    if (fitting.length < bytes.length) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  }

  async sync(): Promise<void> {
    const { seen } = this.#bytes;
    await this.#disk.before('sync', this.#name);
    this.#bytes.durable = Buffer.from(seen);
  }

  async truncate(length: number): Promise<void> {
    await this.#disk.before('truncate', this.#name);
    this.#bytes.seen = this.#bytes.seen.subarray(0, length);
    this.#bytes.durable = this.#bytes.durable.subarray(0, length);
  }

  async close(): Promise<void> {}
}
