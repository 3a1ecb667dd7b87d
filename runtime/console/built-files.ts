/** The console as it was built (`npm run build:console`), in memory. A newer build on the disk is seen within a second, and the one before stays until it can be read as a whole. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Coding } from '#runtime/door/compress/coding.ts';
import { mediaTypeOf } from '#runtime/web/media-type.ts';

/** The file, in a build, with the hash of the sources that it was made of. */
export const STAMP = 'sources.sha256';

/** The folder, in a build, of files whose names change with their bytes. */
export const ASSETS = 'assets';

/** What the page has in place of the nonce of its answer. */
export const NONCE_PLACE = 'SKEP-NONCE';

/** The codings that a build holds, and what names of files in them end with. */
const CODED = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface BuiltFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The same compressed, where that gains something. */
  readonly coded: Partial<Readonly<Record<Coding, Uint8Array>>>;
}

export interface Build {
  readonly stamp: string;
  /** The page, with `NONCE_PLACE` where the nonce belongs. */
  readonly page: string;
  /** By name within `ASSETS`. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

export interface BuiltFilesPorts {
  readonly dir: string;
  /** Reads the build that a package has instead of the folder; null where there is none. */
  readonly packed: () => Build | null;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds of the monotonic clock. */
  now(): number;
}

export class BuiltFiles {
  readonly #ports: BuiltFilesPorts;
  #build: Build | null = null;
  #lookedAt = -Infinity;
  /** The build that could not be read, so that the log says it once. */
  #bad: string | null = null;

  constructor(ports: BuiltFilesPorts) {
    this.#ports = ports;
  }

  /** The newest build; null where there is none. Asks the disk once a second at most, for one small file. */
  current(): Build | null {
    const now = this.#ports.now();
    if (now - this.#lookedAt < limits.console.lookMs) return this.#build;
    this.#lookedAt = now;
    const stamp = stampIn(this.#ports.dir);
    const isNew = stamp === null ? this.#build === null : stamp !== this.#build?.stamp;
    if (isNew) this.#read(stamp);
    return this.#build;
  }

  #read(stamp: string | null): void {
    const { dir, log, packed } = this.#ports;
    try {
      this.#build = stamp === null ? packed() : readBuild(dir, stamp);
    } catch (error) {
      // Half of a build that is being replaced: the stamp of the next look is another one.
      const bad = stamp ?? '';
      if (stampIn(dir) !== stamp || bad === this.#bad) return;
      this.#bad = bad;
      log.warn(
        { err: error, dir },
        'the build of the console cannot be read, and the node tries again: where that lasts, remove the folder and make it anew (npm run build:console)',
      );
    }
  }
}

/** The hash of the sources of the build in a folder; null where there is no whole one. */
export function stampIn(dir: string): string | null {
  try {
    return readFileSync(join(dir, STAMP), 'utf8');
  } catch {
    return null;
  }
}

function readBuild(dir: string, stamp: string): Build {
  const names = readdirSync(join(dir, ASSETS)).filter((name) => !CODED.some(([, ending]) => name.endsWith(ending)));
  if (names.length > limits.console.filesMax) throw new Error(`there are ${names.length} files in it`);
  const assets = new Map(names.map((name) => [name, fileOf(join(dir, ASSETS, name))]));
  const bytes = [...assets.values()].reduce((sum, file) => sum + bytesOf(file), 0);
  if (bytes > limits.console.bytesMax) throw new Error(`it has ${bytes} bytes`);
  return { stamp, page: readFileSync(join(dir, 'index.html'), 'utf8'), assets };
}

const bytesOf = ({ bytes, coded }: BuiltFile): number =>
  Object.values(coded).reduce((sum, one) => sum + one.length, bytes.length);

function fileOf(path: string): BuiltFile {
  const bytes = readFileSync(path);
  const coded = CODED.flatMap(([coding, ending]) => {
    const packed = bytesAt(path + ending);
    return packed === null ? [] : [[coding, packed]];
  });
  return { type: mediaTypeOf(path), bytes, coded: Object.fromEntries(coded) as BuiltFile['coded'] };
}

/** Null where the build has not put it there, since it gained nothing. */
function bytesAt(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
