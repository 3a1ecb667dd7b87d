/**
 * Tests that stand on other tests: a row of a contract or of a page that names a proof by file and title holds only if that test was
 * executed and passed in the same run. The citing test hands its citations over as meta data; the reporter judges them at the end.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Citation {
  /** From the root of the project. */
  readonly file: string;
  /** As the source has it: `%s`, `$name` and `${…}` stand for any text. */
  readonly title: string;
}

declare module 'vitest' {
  interface TaskMeta {
    cites?: readonly Citation[];
  }
}

/** A test as it ended. */
export interface Ran {
  readonly file: string;
  /** Its titles from the outermost `describe` on, joined by ` > `. */
  readonly fullName: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  /** Declared by `test.fails`: it passes when what it says does not hold. */
  readonly fails: boolean;
}

const root = new URL('../../', import.meta.url);
const PLACEHOLDERS = /\\\$\\\{.*?\\\}|\\\$[\w.]+|%[sdifjoO#]/g;

/**
 * Citations that do not hold, each in a sentence. `wholeRun` says that nothing was filtered out: then a file that did not run is a
 * fault, too; in a run of some files alone what they cite elsewhere is not judged.
 */
export function unproven(cited: readonly Citation[], ran: readonly Ran[], wholeRun: boolean): string[] {
  const byFile = new Map<string, Ran[]>();
  for (const test of ran) byFile.set(test.file, [...(byFile.get(test.file) ?? []), test]);
  const problems = cited.flatMap(({ file, title }) => {
    const tests = byFile.get(runnerOf(file));
    if (tests === undefined) return isFile(file) && !wholeRun ? [] : [`${file} did not run: "${title}" is no proof`];
    const problem = problemOf(title, tests);
    return problem === null ? [] : [`${file}: "${title}" ${problem}`];
  });
  return [...new Set(problems)];
}

/** A file of cases is run by the test file of its name. */
export const runnerOf = (file: string): string => file.replace(/\.cases\.ts$/, '.test.ts');

function isFile(file: string): boolean {
  return existsSync(fileURLToPath(new URL(file, root)));
}

function problemOf(title: string, tests: readonly Ran[]): string | null {
  const pattern = patternOf(title);
  const named = tests.filter(({ fullName }) => pattern.test(fullName));
  if (named.length === 0) return 'is no test of it';
  const failed = named.find(({ state, fails }) => state !== 'passed' || fails);
  if (failed === undefined) return null;
  if (failed.fails) return 'is declared to fail';
  return failed.state === 'pending' ? 'never ended' : failed.state;
}

function patternOf(title: string): RegExp {
  const escaped = title.replaceAll(/\\(['"`])/g, '$1').replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(escaped.replaceAll(PLACEHOLDERS, '.*'), 's');
}
