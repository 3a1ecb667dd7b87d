/** `vault:<name>` where a file has it in place of a secret. */
import type { Path } from './problem.ts';
import { REFERENCE_NAME, SCHEME } from './reference-name.ts';
import type { Tree } from './tree.ts';

/** The name in a reference written in the checkout itself. The value of a variable is always a secret, even if it looks like a reference. */
export function referenceAt(tree: Tree, path: Path): string | null {
  const value = tree.looseSource(path) === null ? tree.get(path) : null;
  if (typeof value !== 'string' || !value.startsWith(SCHEME)) return null;
  const name = value.slice(SCHEME.length);
  return REFERENCE_NAME.test(name) ? name : null;
}
