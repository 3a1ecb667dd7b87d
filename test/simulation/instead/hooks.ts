/**
 * Puts the modules of this directory in the place of Node's and of LMDB's for every module of the floors that is loaded from now on, and a planted bug into
 * the text of its module. So the code that is simulated is the code that runs, without a port of its own.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '#runtime/place.ts';
import { planted } from '#test/planted/planted.ts';
import type { Control } from '#test/simulation/control.ts';
import { replaceGlobals } from './globals.ts';
import { stripped } from './stripped.ts';

const urlOf = (path: string): string => pathToFileURL(join(ROOT, path)).href;
const here = (name: string): string => urlOf(`test/simulation/instead/${name}`);

const PROJECT = urlOf('');
const FLOORS = ['storage', 'actors', 'runtime'].map((floor) => urlOf(`${floor}/`));

/** By specifier, or by the address of the module. */
const INSTEAD = new Map([
  ['node:fs', here('fs.ts')],
  ['node:fs/promises', here('fs-promises.ts')],
  ['node:crypto', here('crypto.ts')],
  ['node:timers/promises', here('timers-promises.ts')],
  [urlOf('storage/environment.ts'), here('environment.ts')],
  [urlOf('storage/libc.ts'), here('libc.ts')],
  [urlOf('actors/kit/outbound/outbound.ts'), here('outbound.ts')],
]);

export function standIn(plant: NonNullable<Control['plant']> | null): void {
  replaceGlobals();
  registerHooks({
    resolve: (specifier, context, next) => {
      const isOfFloors = FLOORS.some((floor) => context.parentURL?.startsWith(floor) === true);
      const builtin = isOfFloors ? INSTEAD.get(specifier) : undefined;
      if (builtin !== undefined) return { url: builtin, shortCircuit: true, format: 'module-typescript' };
      const found = next(specifier, context);
      const url = isOfFloors ? INSTEAD.get(found.url) : undefined;
      return url === undefined ? found : { url, shortCircuit: true, format: 'module-typescript' };
    },
    load: (url, context, next) => {
      if (!url.startsWith(PROJECT) || !url.endsWith('.ts')) return next(url, context);
      const written = readFileSync(new URL(url), 'utf8');
      const source = plant !== null && url === urlOf(plant.file) ? planted(plant, written) : written;
      return { source: stripped(source), format: 'module', shortCircuit: true };
    },
  });
}
