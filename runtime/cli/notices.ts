/** Licences of the packages whose code is in the bundles: most ask that their text goes along. */
import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { ROOT } from '../place.ts';

/** The texts of these licences, a part for each package; `held`: folders of packages, from the root, whose code a release holds. Throws where a package names none. */
export function noticesOf(held: readonly string[]): string {
  const folders = [...new Set(held)].sort();
  return `The bundles in dist/, the console and the documentation hold code of these packages.\n\n${folders.map(noticeOf).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** `path`: of the package, from the root. */
function noticeOf(path: string): string {
  const folder = resolve(ROOT, path);
  const { name, version, license, homepage } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<
    string,
    string | undefined
  >;
  const files = globSync(`${folder}/*`).filter((path) => /^(licen[sc]e|copying)/i.test(basename(path)));
  const [file] = files.sort();
  if (file === undefined && license === undefined)
    throw new Error(`the package ${name} is bundled and names no licence`);
  const text =
    file === undefined
      ? `${license}; the package brings no text of it: ${homepage ?? 'see its repository'}`
      : readFileSync(file, 'utf8').trim();
  return `${name} ${version}\n\n${text}`;
}
