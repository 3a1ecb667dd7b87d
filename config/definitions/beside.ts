/** Scripts and SQL: written in a definition, or in a file beside it. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { problemAt, type Path, type Place, type Problem } from '../problem.ts';
import type { Tree } from '../tree.ts';

/** A text, and the place of its first character. */
export interface Beside extends Place {
  readonly text: string;
}

const FILE_NAMES = { js: /^[\w./-]+\.js$/, sql: /^[\w./-]+\.sql$/ } as const;

/**
 * The text at a path of a definition's tree. A name of a `.js` or `.sql` file stands for the content of that file, which must be below the
 * definition's folder. A problem where the file is missing, or where the text has more than `charsMax` characters.
 */
export function textBeside(
  written: string,
  kind: keyof typeof FILE_NAMES,
  file: string,
  tree: Tree,
  path: Path,
  charsMax: number,
): Beside | Problem {
  const place = tree.placeOf(path, 'value');
  const found = FILE_NAMES[kind].test(written) ? textOfFile(written, file) : inPlace(written, place);
  if ('mend' in found) return problemAt(place, path, found.message, found.mend);
  if (found.text.length <= charsMax) return found;
  return problemAt(place, path, `the ${kind} text is longer than ${charsMax} characters`, 'shorten it');
}

function textOfFile(name: string, file: string): Beside | { readonly message: string; readonly mend: string } {
  const dir = dirname(file);
  const target = resolve(join(dir, name));
  if (!target.startsWith(resolve(dir) + sep))
    return { message: `${name} lies outside`, mend: 'put it beside the file that names it' };
  try {
    return { text: readFileSync(target, 'utf8'), file: target, line: 1, column: 1 };
  } catch {
    return { message: `cannot read ${target}`, mend: 'check the name; it starts at the file that names it' };
  }
}

/** The place of a text: a block begins in the line below its `|` or `>`, a quoted text after its quote. */
function inPlace(text: string, place: Place): Beside {
  const lines = readFileSync(place.file, 'utf8').split('\n');
  const mark = lines[place.line - 1]?.[place.column - 1];
  if (mark === '"' || mark === "'") return { ...place, column: place.column + 1, text };
  if (mark !== '|' && mark !== '>') return { ...place, text };
  const below = lines.slice(place.line).findIndex((line) => line.trim() !== '');
  const first = below < 0 ? '' : lines[place.line + below]!;
  return { file: place.file, line: place.line + 1 + below, column: first.length - first.trimStart().length + 1, text };
}
