/** The files of the built documentation, by the path that a browser asks for. */
import { readdirSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { ROOT } from '../place.ts';

/** Where `npm run build:site` puts it, and where the package has it. */
export const SITE = `${ROOT}site`;

export interface SiteFile {
  readonly file: string;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.yml': 'text/plain; charset=utf-8',
};
const INDEX = 'index.html';

/** Every file below `dir`; an `index.html` also by its folder. Empty where there is no such folder. */
export function siteFiles(dir: string): ReadonlyMap<string, SiteFile> {
  const files = new Map<string, SiteFile>();
  for (const file of filesBelow(dir)) {
    const path = `/${relative(dir, file)}`;
    const entry = { file, type: TYPES[extname(file)] ?? 'application/octet-stream' };
    files.set(path, entry);
    if (path.endsWith(`/${INDEX}`)) files.set(path.slice(0, -INDEX.length), entry);
  }
  return files;
}

/** Plain files alone: a link could lead out of the folder. */
function filesBelow(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
