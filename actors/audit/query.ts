/** GET /audit/logs/{id}/records: signed records in order, restricted by filters. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { renderedAs, type Rendered } from '#actors/protocol/body.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import type { Audit } from './audit.ts';
import { filtersOf, type Filters } from './filters.ts';
import { firstKept } from './prune.ts';
import { takenMs } from './record.ts';
import { refuse } from './refusals.ts';
import type { Routes } from './routes.ts';
import type { Records } from './shapes.ts';

const PERSONAL = '"personal_sha256"';

interface Wish extends Filters {
  readonly from: number;
  readonly limit: number;
}

/** `next` is the start of the following call; null at the end. */
export async function query(audit: Audit, call: Call): Promise<Outcome<Routes['records']>> {
  const log = await audit.readable(call);
  if (isRefusal(log)) return log;
  const wish = wishOf(call.query);
  if (typeof wish === 'string') return refuse('audit.bad_request', { message: wish });
  const size = log.head?.size ?? 0;
  const most = wish.any ? limits.audit.scanRecordsMax : wish.limit;
  const found: string[] = [];
  let at = Math.max(wish.from, await firstKept(log.files));
  const entries = await log.records(at, most);
  for (const entry of entries) {
    at++;
    const text = entry.toString();
    if (wish.any && !wish.fits(JSON.parse(text) as Record<string, unknown>)) continue;
    found.push(text);
    if (found.length === wish.limit) break;
  }
  const next = at < size && entries.length > 0 ? at : null;
  const personal = Object.fromEntries(await log.personal.find(personalOf(found)));
  return replyJson(200, renderRecords(found, { size, next, personal }));
}

/** The records are JSON as they stand in the log. */
function renderRecords(
  records: readonly string[],
  { size, next, personal }: Omit<Records, 'records'>,
): Rendered<Records> {
  return renderedAs(
    `{"records":[${records.join(',')}],"size":${size},"next":${next},"personal":${JSON.stringify(personal)}}`,
  );
}

/** Hashes of personal data in these records, with the time at which the log took each. */
export function personalOf(texts: readonly string[]): Map<string, number> {
  return new Map(
    texts.flatMap((text) => {
      if (!text.includes(PERSONAL)) return [];
      const { id, personal_sha256: sha256 } = JSON.parse(text) as { id: string; personal_sha256?: string };
      return sha256 === undefined ? [] : [[sha256, takenMs({ id })] as const];
    }),
  );
}

/** The parameters of a query, or what is wrong with them. */
export function wishOf(query: URLSearchParams): Wish | string {
  const from = wholeOf(query, 'from', 0);
  const limit = wholeOf(query, 'limit', limits.audit.listDefault);
  if (from === null) return 'from must be a whole number';
  if (limit === null || limit === 0 || limit > limits.audit.listMax)
    return `limit must be 1 to ${limits.audit.listMax}`;
  const filters = filtersOf(query);
  return typeof filters === 'string' ? filters : { from, limit, ...filters };
}

/** A parameter that is a whole number; null for any other text. */
export function wholeOf(query: URLSearchParams, name: string, absent: number): number | null {
  const text = query.get(name);
  if (text === null) return absent;
  const value = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(value) ? value : null;
}
