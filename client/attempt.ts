/** One attempt of a write of the offline queue, and what its answer means. */
import { SkepError } from './errors.ts';
import { isSafeAgain } from './queue-entry.ts';
import type { Entry } from './queue-entry.ts';
import { asError, isPassing } from './transport.ts';
import type { Answer, Ask, Credential, Transport } from './transport.ts';

export type Verdict =
  /** It is carried out, now or before; without an answer where that was lost. */
  | { readonly type: 'done'; readonly answer: Answer | null }
  /** It is sent again later, before all that stand behind it. `isFault`: the node failed at it. */
  | { readonly type: 'later'; readonly error: SkepError; readonly isFault?: boolean }
  /** It was not carried out, by the node's word. */
  | { readonly type: 'refused'; readonly error: SkepError }
  /** Whether it was carried out cannot be known. */
  | { readonly type: 'asks'; readonly error: SkepError | null };

/** A fault of the node passes, or is the write's own: so many are waited for. */
const FAULTS_MAX = 8;

/** Sends requests of one user. */
export interface Speaker {
  readonly transport: Transport;
  readonly credential: Credential;
  readonly signal: AbortSignal;
}

/** `isStale`: the node may have forgotten the key of an earlier attempt. */
export async function attempt(speaker: Speaker, entry: Entry, isStale: boolean): Promise<Verdict> {
  if (isStale && !isSafeAgain(entry)) return { type: 'asks', error: null };
  try {
    return { type: 'done', answer: await said(speaker, entry) };
  } catch (thrown) {
    const error = asError(thrown);
    const { status, code, details } = error;
    if (code === 'v2.idempotency_key_in_use' && (details as { readonly written?: boolean }).written)
      return { type: 'done', answer: null };
    if (isLater(error)) return { type: 'later', error };
    if (status >= 500)
      return entry.faults < FAULTS_MAX ? { type: 'later', error, isFault: true } : { type: 'asks', error };
    if (!isStale) return { type: 'refused', error };
    return foundDone(speaker, entry, error);
  }
}

/** An answer of the node. A page that a network gives in its place, before somebody logs in to it, is none. */
async function said({ transport, credential, signal }: Speaker, ask: Ask): Promise<Answer> {
  const answer = await transport.send({ ...ask, credential, signal, again: 'never' });
  if (Array.isArray((answer.json as { readonly data?: unknown } | null)?.data)) return answer;
  throw new SkepError(answer.status, 'client.unexpected', { message: 'no answer of Skep' });
}

const isLater = (error: SkepError): boolean =>
  isPassing(error) ||
  [401, 408, 425].includes(error.status) ||
  error.code === 'client.unexpected' ||
  error.code === 'v2.no_tenant';

/** After a refusal of a write whose key may be forgotten: the rows say whether it is carried out. */
async function foundDone(speaker: Speaker, entry: Entry, error: SkepError): Promise<Verdict> {
  const { path, ids, isMade } = entry;
  const at = isMade ? `${path}/id/${ids[0]!}` : path.split('?', 1)[0]!;
  let row: AnyRow | null = null;
  try {
    [row = null] = ((await said(speaker, { method: 'GET', path: at })).json as { readonly data: [typeof row] }).data;
  } catch (thrown) {
    const failed = asError(thrown);
    if (isLater(failed) || failed.status >= 500) return { type: 'later', error: failed };
    if (failed.status !== 404) return { type: 'asks', error };
  }
  return isDone(entry, row) ? { type: 'done', answer: null } : { type: 'asks', error };
}

/** Whether a row, null for none, is as the write leaves it. */
function isDone({ method, body, isMade }: Entry, row: AnyRow | null): boolean {
  if (row === null || method === 'DELETE') return row === null && method === 'DELETE';
  if (isMade) return true;
  const changes = Object.entries(JSON.parse(body!) as object);
  return changes.every(([field, value]) => JSON.stringify(row[field]) === JSON.stringify(value));
}

type AnyRow = Readonly<Record<string, unknown>>;
