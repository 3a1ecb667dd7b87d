/** Where the operations listener of a node is, for verbs that look at a running one. */
import { LISTENER_ADDRESSES } from '#config/defaults.ts';
import { nearUrl } from '#runtime/observe/ask-operations.ts';
import { platformOf } from './operator-verb.ts';
import { CliError, type Terminal } from './terminal.ts';

interface Place {
  readonly file?: string;
  readonly url?: string;
}

/** `--url`, else the listener that the platform file of `-f` names, else the default. Throws where that file has none. */
export async function operationsUrl({ file, url }: Place, terminal: Terminal): Promise<string> {
  if (url !== undefined) return url.replace(/\/$/, '');
  if (file === undefined) return `http://${LISTENER_ADDRESSES.operations}`;
  const { operations } = (await platformOf(file, terminal)).listeners;
  if (operations === null)
    throw new CliError(`skep: ${file} has no operations listener\n    set listeners.operations: true\n`);
  return nearUrl(operations);
}
