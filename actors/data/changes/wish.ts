/** What a subscriber asks for, from its query string (docs/contract/changes.md §4). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { VERB } from '#actors/protocol/frame.ts';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseCount } from '#actors/engine/rows/parse-lists.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import { parsePosition } from './position.ts';

export interface Wish {
  readonly entity: string;
  /** The consumer group at whose place it begins. */
  readonly group?: string;
  /** Conditions and fields as the asker may use them; 422 for what the asker's view of the entity does not have. */
  readonly queryOf: (model: EntityModel, asker: Asker) => Query | Failure;
  /** Only changes behind this position; null: those from now on. */
  readonly after: number | null;
  /** How long a poll waits, in milliseconds. */
  readonly waitMs: number;
  /** Whether the rows as they are come first. */
  readonly snapshot: boolean;
  /** Changes that an answer may hold. */
  readonly limit: number;
}

const OWN: readonly string[] = ['entity', 'after', 'wait', 'snapshot', 'limit'];
/** Where the product declares groups: elsewhere it is a condition on a field of this name. */
const GROUPED: readonly string[] = [...OWN, 'group'];
/** Parameters of lists that mean nothing for a change. */
const FOREIGN = (
  'orderby order_by offset page pagesize before include groupby having depth deleted unmask untokenize version expression ' +
  'download field [aggregate] [bucket] [zone] [on]'
).split(' ');

/**
 * `lastEventId` is where a stream broke off: it counts before `after`, and what was told then need not be told again by a snapshot. `hasGroups`: the product
 * declares consumer groups. What a group was told counts only once it is acknowledged, so `lastEventId` means nothing to it.
 */
export function parseWish(search: URLSearchParams, lastEventId: string, hasGroups = false): Wish | Failure {
  const names = hasGroups ? GROUPED : OWN;
  const own = new Map<string, string>();
  const others = new URLSearchParams();
  for (const [key, value] of search) {
    const name = key.toLowerCase();
    if (!names.includes(name)) others.append(key, value);
    else if (value !== '' && !own.has(name)) own.set(name, value);
  }
  const parameters = new Parameters(others);
  const foreign =
    parameters.included.length > 0
      ? 'an option of an include'
      : FOREIGN.find((key) => parameters.first(key) !== undefined);
  if (foreign !== undefined) return failure(422, `${foreign} does not go with changes`, { parameter: foreign });
  const group = own.get('group');
  const from = lastEventId !== '' && group === undefined ? lastEventId : own.get('after');
  const after = from === undefined ? null : parsePosition(from);
  if (after === null && from !== undefined)
    return failure(422, 'after must be a position that an answer has told', { parameter: 'after' });
  const seconds = counted('wait', own.get('wait'), 0, limits.changes.waitSecondsMax);
  if (isFailure(seconds)) return seconds;
  const limit = counted('limit', own.get('limit'), limits.changes.pageRows, limits.changes.pageRowsMax);
  if (isFailure(limit)) return limit;
  const snapshot = after === null && own.get('snapshot')?.toLowerCase() === 'true';
  return {
    entity: own.get('entity') ?? '',
    ...(group !== undefined && { group }),
    queryOf: (model, asker) => parseQuery(model, parameters, null, NO_CONDITIONS, asker),
    after,
    waitMs: seconds * 1000,
    snapshot,
    limit: Math.max(1, limit),
  };
}

/** The door sends a HEAD as a GET. */
export const isHead = (call: Call): boolean => call.header(VERB) === 'HEAD';

/** Whether a request asks for a stream. A HEAD has no body that could go on. */
export const wantsStream = (call: Call): boolean =>
  !isHead(call) && (call.header('accept') ?? '').toLowerCase().includes('text/event-stream');

function counted(name: string, text: string | undefined, absent: number, most: number): number | Failure {
  const count = parseCount(name, text);
  if (isFailure(count) || count === null) return count ?? absent;
  return count > most ? failure(422, `${name} may be at most ${most}`, { parameter: name, most }) : count;
}
