/** Parameters of the routes that show the node: whole numbers within bounds and a cursor; any other parameter is refused. */
import { limits } from '#config/limits.ts';
import { instantMs } from '#config/values/instant.ts';
import { LINE_LEVELS, type LineLevel, type LinesAsk } from '#actors/protocol/node-view.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';

const { keptMinutes, keyCharsMax, lines, linesMax, rowsMax, settings, settingsMax } = limits.nodeView;
const { tenantCharsMax, tenantRows, tenantRowsMax } = limits.nodeView;

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

const LEVELS: readonly string[] = LINE_LEVELS;

export function readLinesQuery(query: URLSearchParams): LinesAsk | Bad {
  const unknown = unknownIn(query, ['level', 'since', 'limit']);
  if (unknown !== null) return unknown;
  const level = query.get('level') ?? 'debug';
  if (!LEVELS.includes(level)) return refuse('bad_request', { message: `level: expected one of ${LEVELS.join(', ')}` });
  const text = query.get('since');
  const since = text === null ? 0 : instantMs(text);
  if (Number.isNaN(since))
    return refuse('bad_request', { message: 'since: expected an instant as RFC 3339 writes it' });
  const most = wholeIn(query, 'limit', { max: linesMax, unless: lines });
  return typeof most === 'number' ? { level: level as LineLevel, since, most } : most;
}

export interface TenantsQuery {
  /** What the key holds, in lower case; empty for all. */
  readonly q: string;
  /** The key to go on after; empty for the first page. */
  readonly after: string;
  readonly limit: number;
}

export function readTenantsQuery(query: URLSearchParams): TenantsQuery | Bad {
  const unknown = unknownIn(query, ['q', 'after', 'limit']);
  if (unknown !== null) return unknown;
  const [q, after] = [query.get('q') ?? '', query.get('after') ?? ''];
  for (const [name, text] of Object.entries({ q, after }))
    if (text.length > tenantCharsMax)
      return refuse('bad_request', { message: `${name}: at most ${tenantCharsMax} characters` });
  const limit = wholeIn(query, 'limit', { max: tenantRowsMax, unless: tenantRows });
  return typeof limit === 'number' ? { q: q.toLowerCase(), after, limit } : limit;
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
