/** Reads the vault's policies: every `.yaml` file of a directory holds a list of rows. Shape: docs/contract/vault.md §2.4. */
import { check } from '../check.ts';
import { limits } from '../limits.ts';
import { sortProblems, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { readYamlFile } from '../yaml-file.ts';
import { CAPABILITIES, type PolicyRow } from './policy-row.ts';
import { definitionFiles, fileProblem } from './source.ts';

export type LoadedPolicies =
  | { readonly rows: readonly PolicyRow[]; readonly files: number }
  | { readonly problems: readonly Problem[] };

const GLOB = new RegExp(`^[\\x21-\\x7e]{1,${limits.vault.globCharsMax}}$`);
const glob = (what: string, example: string) =>
  kit.pattern(GLOB, `a glob over ${what}: * within a segment, ** across`, example);

const row = kit.entry({
  subject: glob('callers', 'operator/*').meta({ about: 'who may' }),
  path: glob('what is asked for', 'secret/acme:atlas:dev:main/**').meta({ about: 'on what' }),
  capabilities: kit.list(kit.oneOf(CAPABILITIES), 'capabilities').min(1).meta({ about: 'may do what' }),
});

/** The form of the file. */
export const policyFile = kit.entry({
  policies: kit.list(row, 'policies').meta({ about: 'what is allowed; everything else is denied' }),
});

/** The rows of a directory, none when it does not exist; or every problem, in the order of the lines. */
export function loadPolicies(directory: string): LoadedPolicies {
  const { files, problems } = definitionFiles(directory);
  const rows: PolicyRow[] = [];
  const found: Problem[] = [...problems];
  for (const file of files) {
    const yaml = readYamlFile(file);
    found.push(...yaml.problems);
    if (yaml.broken) continue;
    const checked = check(policyFile, yaml.tree);
    if ('problems' in checked) found.push(...checked.problems);
    else rows.push(...checked.value.policies);
  }
  if (rows.length > limits.vault.policiesMax) {
    found.push(fileProblem(directory, `more than ${limits.vault.policiesMax} policies`, 'use globs'));
  }
  return found.length > 0 ? { problems: sortProblems(found) } : { rows, files: files.length };
}
