/** Parameters of the routes that show the node: whole numbers within bounds and a cursor; any other parameter is refused. */
import { limits } from '#config/limits.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';

const { keptMinutes, keyCharsMax, rowsMax, settings, settingsMax } = limits.nodeView;

interface Whole {
  readonly max: number;
  /** Where the caller names none. */
  readonly unless: number;
}

type Bad = Refusal<'bad_request'>;

export interface SettingsQuery {
  readonly after: string | null;
  readonly limit: number;
}

export function readSettingsQuery(query: URLSearchParams): SettingsQuery | Bad {
  const unknown = unknownIn(query, ['after', 'limit']);
  if (unknown !== null) return unknown;
  const after = query.get('after');
  if (after !== null && after.length > keyCharsMax)
    return refuse('bad_request', { message: `after: at most ${keyCharsMax} characters` });
  const limit = wholeIn(query, 'limit', { max: settingsMax, unless: settings });
  return typeof limit === 'number' ? { after, limit } : limit;
}

export interface MinutesQuery {
  readonly minutes: number;
  /** Rows of each table. */
  readonly limit: number;
}

export function readMinutesQuery(query: URLSearchParams): MinutesQuery | Bad {
  const unknown = unknownIn(query, ['minutes', 'limit']);
  if (unknown !== null) return unknown;
  const minutes = wholeIn(query, 'minutes', { max: keptMinutes, unless: keptMinutes });
  if (typeof minutes !== 'number') return minutes;
  const limit = wholeIn(query, 'limit', { max: rowsMax, unless: rowsMax });
  return typeof limit === 'number' ? { minutes, limit } : limit;
}

function unknownIn(query: URLSearchParams, known: readonly string[]): Bad | null {
  const other = [...query.keys()].find((name) => !known.includes(name));
  if (other === undefined) return null;
  return refuse('bad_request', { message: `?${other.slice(0, 64)}: unknown parameter; known are ${known.join(', ')}` });
}

function wholeIn(query: URLSearchParams, name: string, { max, unless }: Whole): number | Bad {
  const text = query.get(name);
  if (text === null) return unless;
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= max) return Number(text);
  return refuse('bad_request', { message: `${name}: expected a whole number from 1 to ${max}` });
}
