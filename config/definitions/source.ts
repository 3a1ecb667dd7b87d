/** Files of definitions: those in a directory, and the names that they may declare. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { problemAt, type Problem } from '../problem.ts';

/** Names of entities, fields and the like. */
const NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** A declared name; the text says how to mend a wrong one. */
export const name = z
  .string()
  .regex(NAME, 'use lower-case letters, digits and _, a letter first, at most 63 characters')
  .meta({ description: 'a name of lower-case letters, digits and _', example: 'city' });

export interface DefinitionFiles {
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
  /** Whether the directory exists. */
  readonly found: boolean;
}

/** The `.yaml` files of a directory by name. A `.yml` file is a problem, since it would be overlooked. Other files are ignored. */
export function definitionFiles(dir: string): DefinitionFiles {
  if (!isDirectory(dir)) return { files: [], problems: [], found: false };
  try {
    const names = readdirSync(dir).sort();
    const files = names.filter((file) => file.endsWith('.yaml')).map((file) => join(dir, file));
    const problems = names.filter((file) => file.endsWith('.yml')).map((file) => wrongEnding(join(dir, file)));
    return { files, problems, found: true };
  } catch (error) {
    const message = `cannot read the directory: ${(error as Error).message}`;
    return { files: [], problems: [fileProblem(dir, message, 'check its permissions')], found: true };
  }
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A problem of a whole file or directory. */
export function fileProblem(file: string, message: string, mend: string): Problem {
  return problemAt({ file, line: 0, column: 0 }, [], message, mend);
}

function wrongEnding(file: string): Problem {
  return fileProblem(file, 'only .yaml files are read', `rename it to ${file.replace(/\.yml$/, '.yaml')}`);
}
