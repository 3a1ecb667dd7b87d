/** The line that asks a node what its rules say to a person. Pure. */
import { commandOf } from '../node/command.ts';
import { rowsAt } from './rows-at.ts';

export interface Asked {
  readonly key: string;
  readonly entity: string;
  /** Empty for a list. */
  readonly id: string;
  readonly parameters: string;
  readonly person: string;
  readonly reason: string;
}

/** `docs/contract/data-admin.md` §10.1. The file is the one that the node was started with. */
export function explainLine({ key, entity, id, parameters, person, reason }: Asked): string {
  const at = rowsAt({ entity, ...(id !== '' && { id }) });
  const route = id === '' && parameters !== '' ? `${at}?${parameters}` : at;
  return commandOf('explain', null, ['GET', route, '--as', person, '--reason', reason, '--tenant', key]);
}
