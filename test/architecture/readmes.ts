/** READMEs as maps of their rooms: each room has one, and each of its files is named there. Pure. */
import { posix } from 'node:path';
import { spread } from './cited-paths.ts';
import type { Violation } from './floor-plan.ts';
import type { SourceFile } from './source.ts';

const README = 'README.md';
/** A room with at most so many files may be described in the README of the room around it. */
export const FILES_WITHOUT_README_MAX = 6;

/** Floors whose folders are rooms, and single rooms beside them. */
export interface Plan {
  readonly floors: readonly string[];
  readonly rooms: readonly string[];
}

/** The rooms among these files: floors, their folders, deeper folders with a README, and the single rooms. */
export function roomsOf(paths: readonly string[], { floors, rooms }: Plan): string[] {
  const inPlan = (path: string) => [...floors, ...rooms].some((room) => path.startsWith(`${room}/`));
  const out = new Set<string>(rooms);
  for (const path of paths.filter(inPlan)) {
    const folder = posix.dirname(path);
    const [floor, room] = folder.split('/');
    if (floors.includes(floor!) && isCode(path)) out.add(floor!).add(room === undefined ? floor! : `${floor}/${room}`);
    if (posix.basename(path) === README) out.add(folder);
  }
  return [...out].sort();
}

/** Rooms without a README of their own that need one, and files that no README names. */
export function checkReadmes(files: readonly SourceFile[], plan: Plan): Violation[] {
  const paths = files.map(({ path }) => path);
  const readmes = new Map(
    files
      .filter(({ path }) => posix.basename(path) === README)
      .map(({ path, text }) => [posix.dirname(path), names(text)]),
  );
  const out: Violation[] = [];
  for (const room of roomsOf(paths, plan)) {
    const size = paths.filter((path) => path.startsWith(`${room}/`) && isCode(path)).length;
    const isSmall = size <= FILES_WITHOUT_README_MAX && readmes.has(posix.dirname(room));
    if (!readmes.has(room) && !isSmall)
      out.push({ rule: 'readme', path: posix.join(room, README), what: 'is missing' });
  }
  for (const path of paths.filter(isCode)) {
    const room = nearest(path, readmes);
    if (room === null || readmes.get(room)!.some((name) => name.test(`/${path.slice(room.length + 1)}`))) continue;
    out.push({ rule: 'unnamed', path, what: `is not named in ${posix.join(room, README)}` });
  }
  return out;
}

function isCode(path: string): boolean {
  return path.endsWith('.ts');
}

/** The folder of the README that describes a file: its own, or the next one above. */
function nearest(path: string, readmes: ReadonlyMap<string, unknown>): string | null {
  for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) if (readmes.has(at)) return at;
  return null;
}

const IN_CODE = /`([\w./*{},-]+\.ts)`/g;

/** Names of files in backticks, as ends of a path. A pattern that says no letter of the file's name (`kit/*.ts`) names none. */
function names(text: string): RegExp[] {
  return [...text.matchAll(IN_CODE)]
    .flatMap(([, code]) => spread(code!))
    .filter((name) => /\w/.test(posix.basename(name, '.ts')))
    .map((name) => new RegExp(`/${name.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]*')}$`));
}
