/** Where each value of a platform came from. It is kept beside the platform and not in it: a platform is sent to threads, compared and shown. */
import { PORT_BASE } from './env.ts';
import type { Platform } from './platform.ts';
import type { Path } from './problem.ts';
import type { Surroundings } from './surroundings.ts';
import { isMap } from './tree.ts';

export const SOURCE_KINDS = ['file', 'environment', 'flag', 'default'] as const;

export interface Source {
  readonly source: (typeof SOURCE_KINDS)[number];
  /** The line of the file, the name of the variable or of the flag; null for a default. */
  readonly from: string | null;
}

type Around = Pick<Surroundings, 'portBase' | 'tree'>;

const DEFAULT: Source = { source: 'default', from: null };
/** Where a listener's address stands, which SKEP_PORT_BASE changes. */
const BINDS = /^(?:gateway|listeners\..+|intake\.http)\.bind$/;

const kept = new WeakMap<Platform, Around>();

/** Remembers what a platform was made of. */
export function keepSources(platform: Platform, { portBase, tree }: Around): void {
  kept.set(platform, { portBase, tree });
}

/** Where the value at a path came from; null where the platform was made in another way than from a file. */
export function sourceOf(platform: Platform, path: Path): Source | null {
  const around = kept.get(platform);
  return around === undefined ? null : find(around, path);
}

function find({ portBase, tree }: Around, path: Path): Source {
  const written = writtenAt(tree, path);
  const place = written === null ? null : tree.placeOf(written, 'value');
  if (place?.line === 0)
    return place.file.startsWith('$')
      ? { source: 'environment', from: place.file.slice(1) }
      : { source: 'flag', from: place.file };
  if (portBase !== null && BINDS.test(path.join('.'))) return { source: 'environment', from: PORT_BASE };
  if (written === null || place === null) return DEFAULT;
  const variable = tree.looseSource(written);
  return variable === null
    ? { source: 'file', from: `line ${place.line}` }
    : { source: 'environment', from: variable.slice(1) };
}

/** The path itself where it is written, or what is written in place of a map that has it, as `listeners.data: true` is; null for a default. */
function writtenAt(tree: Around['tree'], path: Path): Path | null {
  for (let depth = path.length; depth > 0; depth--) {
    const here = path.slice(0, depth);
    if (tree.has(here)) return depth === path.length || !holdsMore(tree.get(here)) ? here : null;
  }
  return null;
}

const holdsMore = (value: unknown): boolean => isMap(value) || Array.isArray(value);
