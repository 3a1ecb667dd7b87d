/** The context in which a file is read: what its paths and ports are relative to. */
import { dirname, resolve } from 'node:path';
import { withPort } from './bind.ts';
import { PORT_ORDER } from './defaults.ts';
import type { ServiceAlone } from './platform.ts';
import type { Path } from './problem.ts';
import type { Tree } from './tree.ts';

export interface Surroundings {
  readonly file: string | null;
  /** The base of relative paths in flags, variables and defaults. */
  readonly cwd: string;
  readonly cores: number;
  readonly service: ServiceAlone | null;
  /** The first port of SKEP_PORT_BASE, or null. */
  readonly portBase: number | null;
  readonly tree: Tree;
}

/** A path in a file is relative to the file; one in a flag, a variable or a default to the working directory. */
export function pathFrom(around: Surroundings, path: Path, value: string): string {
  const place = around.tree.placeOf(path, 'value');
  const fromFile = around.tree.has(path) && place.line > 0;
  return resolve(fromFile ? directoryOf(around) : around.cwd, value);
}

/** SKEP_PORT_BASE outranks the file and its defaults; a flag outranks both. */
export function portOf(around: Surroundings, name: (typeof PORT_ORDER)[number], path: Path, bind: string): string {
  const byFlag = around.tree.has(path) && around.tree.placeOf(path, 'value').line === 0;
  if (around.portBase === null || byFlag) return bind;
  return withPort(bind, around.portBase + PORT_ORDER.indexOf(name));
}

/** The base of relative paths in the file. */
export function directoryOf(around: Surroundings): string {
  return around.file === null ? around.cwd : dirname(resolve(around.cwd, around.file));
}
