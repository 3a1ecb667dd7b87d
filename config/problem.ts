/** A problem in a file that people write: what is wrong, where, and how to mend it. */

export interface Place {
  /** A file's path as it was given, a flag (`--hosts`) or a variable (`$SKEP_PORT_BASE`). */
  readonly file: string;
  /** From 1; 0 for a flag or a variable. */
  readonly line: number;
  readonly column: number;
}

export interface Problem extends Place {
  /** The key's dotted path, empty for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly mend: string;
}

export type Path = readonly (string | number)[];

/** `file:line:column`, or the name alone where there is no line. */
export function placeText(place: Place): string {
  return place.line === 0 ? place.file : `${place.file}:${place.line}:${place.column}`;
}

/** `hives.tenant[0].key`. */
export function pathText(path: Path): string {
  let text = '';
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`;
  return text;
}

/** A problem at a place. */
export function problemAt(place: Place, path: Path, message: string, mend: string): Problem {
  return { file: place.file, line: place.line, column: place.column, path: pathText(path), message, mend };
}

/** In the order of the files and their lines, so that they can be mended from top to bottom. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column);
}

/** Two lines per problem: what is wrong and where, then how to mend it; a last line counts them. */
export function renderProblems(problems: readonly Problem[]): string {
  const blocks = problems.map((problem) => `${placeText(problem)}: ${problem.message}\n    ${problem.mend}\n`);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return `${blocks.join('')}${count}\n`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
