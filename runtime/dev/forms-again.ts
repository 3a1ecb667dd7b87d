/** Forms that have changed under `skep dev`: read again where they are sound. */
import { loadForms } from '#config/definitions/load-forms.ts';
import { renderProblems } from '#config/problem.ts';

/** Has the node read its forms again, or says what is wrong in them. */
export async function formsAgain(dir: string, reread: () => Promise<void>): Promise<string> {
  const loaded = loadForms(dir);
  if ('problems' in loaded)
    return `${renderProblems(loaded.problems)}The forms stay as they were; the next save is tried again.\n`;
  await reread();
  const names = Object.keys(loaded.forms);
  return `forms: ${names.length === 0 ? 'none is served' : `${names.join(', ')} read again`}\n`;
}
