/** A place in memory whose parts have the time of a simulated clock. */
import { PartMissing, type BackupPlace, type PartUpload, type StoredPart } from '#storage/backup-set/place.ts';

export class MemoryPlace implements BackupPlace {
  readonly where = 'memory';
  readonly #now: () => number;
  readonly kept = new Map<string, { readonly bytes: Buffer; readonly storedMs: number }>();
  readonly manifests = new Map<string, string>();
  /** Chunks of the journal's copy. */
  readonly held = new Map<string, Buffer>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async begin(): Promise<PartUpload> {
    const pieces: Uint8Array[] = [];
    return {
      write: async (bytes) => void pieces.push(Buffer.from(bytes)),
      publish: async (name) => void this.kept.set(name, { bytes: Buffer.concat(pieces), storedMs: this.#now() }),
      drop: async () => undefined,
    };
  }

  async sizeOf(part: string): Promise<number | null> {
    return this.kept.get(part)?.bytes.length ?? null;
  }

  async *read(part: string): AsyncGenerator<Uint8Array> {
    const found = this.kept.get(part);
    if (found === undefined) throw new PartMissing(part);
    yield found.bytes;
  }

  async *parts(): AsyncGenerator<StoredPart> {
    for (const [name, { storedMs }] of this.kept) yield { name, storedMs };
  }

  async removePart(part: string): Promise<void> {
    this.kept.delete(part);
  }

  async sets(): Promise<string[]> {
    return [...this.manifests.keys()].toSorted();
  }

  async readSet(id: string): Promise<string | null> {
    return this.manifests.get(id) ?? null;
  }

  async writeSet(id: string, text: string): Promise<void> {
    this.manifests.set(id, text);
  }

  async chunks(): Promise<string[]> {
    return [...this.held.keys()].toSorted();
  }

  async writeChunk(name: string, bytes: Uint8Array): Promise<void> {
    this.held.set(name, Buffer.from(bytes));
  }

  async readChunk(name: string): Promise<Buffer | null> {
    return this.held.get(name) ?? null;
  }

  async removeChunk(name: string): Promise<void> {
    this.held.delete(name);
  }

  async removeSet(id: string): Promise<void> {
    this.manifests.delete(id);
  }
}
