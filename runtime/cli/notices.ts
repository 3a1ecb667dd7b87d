/** Licences of the packages whose code is in the bundles: most ask that their text goes along. */
import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { ROOT } from '../place.ts';
import { PACKAGES } from './build-programs.ts';

/**
 * The texts of these licences, a part for each package that a bundle in `dist`, or the documentation (`site`: folders from the root), holds code of.
 * Throws where a package names none.
 */
export function noticesOf(dist: string, site: readonly string[]): string {
  const bundled = readFileSync(`${dist}/${PACKAGES}`, 'utf8').split('\n');
  const folders = [...new Set([...bundled, ...site])].sort();
  return `The bundles in dist/ and the documentation hold code of these packages.\n\n${folders.map(noticeOf).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
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
