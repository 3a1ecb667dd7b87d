/**
 * Packs what of a log never changes again, beside its work: of each sealed segment the bundles that are full with it, then the segment. Whatever fails or is cut off leaves the plain file, which is read as
 * well; when the log is opened the newest segments are looked at for such ones.
 */
import { limits } from '#config/limits.ts';
import type { LogFiles } from './files.ts';
import { manifestPath, readManifest, segmentFirst, segmentPath, type Manifest } from './manifest.ts';
import { TILE_WIDTH, tilePath } from './tile-path.ts';

const { packBytesMin, packLooksMax, packWaitingMax } = limits.audit;

export interface PackerPorts {
  readonly files: LogFiles;
  /** Other work of the thread goes on before it resolves: called between two pieces of a file. */
  readonly breath: () => Promise<void>;
  /** A file stays as it is. */
  readonly onFailed: (error: Error) => void;
}

/** Entries of a sealed segment: from `first`, up to and without `size`. */
export type Sealed = Pick<Manifest, 'first' | 'size'>;

class Stopped extends Error {}

export class Packer {
  readonly #ports: PackerPorts;
  readonly #waiting: Sealed[] = [];
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(ports: PackerPorts) {
    this.#ports = ports;
  }

  /** Of a segment that was just sealed. Where too many wait, since records come faster than they are packed for long, it stays as it is. */
  add({ first, size }: Sealed): void {
    if (this.#waiting.length >= packWaitingMax) return;
    this.#waiting.push({ first, size });
    this.#run(async () => {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#pack(next);
    });
  }

  /** What an earlier process left: from the newest segment back to one that is packed. */
  resume(): void {
    this.#run(async () => {
      const firsts = await sealedFirsts(this.#ports.files);
      for (const first of firsts.slice(-packLooksMax).toReversed()) {
        const sealed = await this.#sealedAt(first);
        if (sealed === null || (await this.#pack(sealed)) === 'before') return;
      }
    });
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** One piece of work after the other. */
  #run(work: () => Promise<void>): void {
    const before = this.#running ?? Promise.resolve();
    this.#running = before.then(work).catch((error: unknown) => {
      if (!(error instanceof Stopped)) this.#ports.onFailed(error as Error);
    });
  }

  async #sealedAt(first: number): Promise<Sealed | null> {
    const bytes = await this.#ports.files.read(manifestPath(first));
    return bytes === null ? null : readManifest(bytes.toString());
  }

  async #pack({ first, size }: Sealed): Promise<'packed' | 'before' | 'not'> {
    for (let index = Math.floor(first / TILE_WIDTH); (index + 1) * TILE_WIDTH <= size; index++)
      await this.#file(tilePath({ level: 'entries', index, width: TILE_WIDTH }));
    return this.#file(segmentPath(first));
  }

  #file(path: string): Promise<'packed' | 'before' | 'not'> {
    return this.#ports.files.pack(path, packBytesMin, async () => {
      await this.#ports.breath();
      if (this.#isStopped) throw new Stopped();
    });
  }
}

async function sealedFirsts(files: LogFiles): Promise<number[]> {
  const names = (await files.names('segments')).filter((name) => name.endsWith('.json'));
  const firsts = names.map((name) => segmentFirst(`segments/${name.replace(/\.json$/, '.log')}`));
  return firsts.filter((first) => first !== null).toSorted((a, b) => a - b);
}
