/** `GET /auth/admin/keys`: a page of the tenant's keys, oldest first. */
import { limits } from '#config/limits.ts';
import { isUlid } from '#config/values/id.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { viewOf, type KeyView } from '../operator/keys.ts';
import { scanKeys } from '../operator/store.ts';
import { administratorOf } from '../people/administrator.ts';
import { refuse } from '../refusals.ts';
import type { keyRoutes } from './routes.ts';

interface KeyQuery {
  readonly subject: string | null;
  readonly limit: number;
  readonly after: string | null;
}

export function listKeys(call: Call): Outcome<typeof keyRoutes.listAdminKeys> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const query = readQuery(call.query);
  return isRefusal(query) ? query : reply(200, pageOf(call, query));
}

const PARAMETERS: ReadonlySet<string> = new Set(['subject', 'limit', 'after']);

function readQuery(query: URLSearchParams): KeyQuery | Refusal<'bad_request'> {
  const bad = (message: string) => refuse('bad_request', { message });
  for (const name of query.keys())
    if (!PARAMETERS.has(name))
      return bad(`?${name.slice(0, 64)}: unknown parameter; known are subject, limit and after`);
  const limit = query.get('limit') ?? String(limits.people.pageRows);
  if (!/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > limits.people.pageRowsMax)
    return bad(`limit: expected a whole number from 1 to ${limits.people.pageRowsMax}`);
  const after = query.get('after');
  if (after !== null && !isUlid(after)) return bad('after: not a cursor that this list gave; begin again without it');
  return { subject: query.get('subject'), limit: Number(limit), after };
}

/** Fewer than `limit` where many keys of other subjects were looked at; `next` says where the list goes on. */
function pageOf(call: Call, { subject, limit, after }: KeyQuery): { keys: KeyView[]; next: string | null } {
  const keys: KeyView[] = [];
  let looked = 0;
  let last: string | null = null;
  for (const [id, record] of scanKeys(call.turn(), after)) {
    if (keys.length === limit || looked === limits.people.pageLooksMax) return { keys, next: last };
    looked++;
    last = id;
    if (subject === null || record.created_by === subject) keys.push(viewOf(call, id, record));
  }
  return { keys, next: null };
}
