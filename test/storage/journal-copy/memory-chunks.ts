/** Chunks in memory, as a place has them; what it is told to refuse it refuses. */
import type { ChunkPlace } from '#storage/journal-copy/copier.ts';

export class MemoryChunks implements ChunkPlace {
  readonly where = 'memory';
  readonly held = new Map<string, Buffer>();
  /** Thrown by the next writes. */
  refuses: Error | null = null;
  /** Writes are kept, and their answers lost. */
  losesAnswers = false;

  chunks(): Promise<string[]> {
    return Promise.resolve([...this.held.keys()].toSorted());
  }

  writeChunk(name: string, bytes: Uint8Array): Promise<void> {
    if (this.refuses !== null) return Promise.reject(this.refuses);
    this.held.set(name, Buffer.from(bytes));
    return this.losesAnswers ? Promise.reject(new Error('no answer came')) : Promise.resolve();
  }

  readChunk(name: string): Promise<Buffer | null> {
    return Promise.resolve(this.held.get(name) ?? null);
  }

  removeChunk(name: string): Promise<void> {
    this.held.delete(name);
    return Promise.resolve();
  }
}
