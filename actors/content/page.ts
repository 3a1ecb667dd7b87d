/** Parameters of lists, and the block of an answer by which a caller asks for the next page. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Row } from './rows.ts';
import { end } from './refused.ts';

/** 400 for a parameter that the route does not know, or that comes twice. */
export function knownParameters(call: Call, known: readonly string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, value] of call.query) {
    if (!known.includes(name)) end('content.bad_query', { message: `there is no parameter ${shown(name)}` });
    if (Object.hasOwn(found, name)) end('content.bad_query', { message: `${name} is there twice` });
    found[name] = value;
  }
  return found;
}

/** `limit`, or the default. */
export function limitOf(text: string | undefined): number {
  if (text === undefined) return limits.content.pageRowsDefault;
  const most = limits.content.pageRowsMax;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) end('content.bad_query', { message: `limit must be a number from 1 to ${most}` });
  return limit;
}

/** One page of rows in the order of their ids. `rows` may hold one more than the limit, which says that there is a next page. */
export function pageOf<T extends Row>(rows: readonly T[], limit: number) {
  const data = rows.slice(0, limit);
  const last = data.at(-1)?.['id'] as string | undefined;
  return { data, count: data.length, page: { has_next_page: rows.length > limit, end_cursor: last ?? null } };
}

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** Whether text can be an id; text that cannot finds nothing. */
export const isId = (text: string): boolean => ID.test(text);

/** `after` as a predicate on ids. */
export function afterOf(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined || text === '') return {};
  if (!isId(text)) end('content.bad_query', { message: 'after must be the end_cursor of a page' });
  return { 'id[gt]': text };
}
