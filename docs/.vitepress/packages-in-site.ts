/** The packages whose code the site holds: their licences go along with it (`runtime/cli/notices.ts`). */
import { writeFileSync } from 'node:fs';
import type { Plugin } from 'vitepress';

const folders = new Set<string>();
/** The folder of a module's package, from the first `node_modules` on. */
const PACKAGE = /(?<=^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;

/** Notes them while the site is built. */
export const notesPackages: Plugin = {
  name: 'notes-packages',
  generateBundle(_options, bundle) {
    for (const part of Object.values(bundle))
      for (const id of part.type === 'chunk' ? Object.keys(part.modules) : []) {
        const folder = PACKAGE.exec(id)?.[1];
        if (folder !== undefined) folders.add(folder);
      }
  },
};

/** Writes their folders, one a line. */
export function writePackages(path: string): void {
  writeFileSync(path, [...folders].sort().join('\n'));
}
