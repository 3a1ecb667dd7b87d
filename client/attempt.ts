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
const LATER = [401, 408, 425];

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
    if (code === 'v2.idempotency_key_in_use' && (details as { readonly written?: boolean }).written === true)
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
  isPassing(error) || LATER.includes(error.status) || error.code === 'client.unexpected' || error.code === 'v2.no_tenant';

/** After a refusal of a write whose key may be forgotten: the rows say whether it is carried out. */
async function foundDone(speaker: Speaker, entry: Entry, error: SkepError): Promise<Verdict> {
  const { method, path, body, ids, isMade } = entry;
  const at = isMade ? `${path}/id/${ids[0]!}` : path.split('?', 1)[0]!;
  let row: Readonly<Record<string, unknown>> | null = null;
  try {
    [row = null] = ((await said(speaker, { method: 'GET', path: at })).json as { readonly data: [typeof row] }).data;
  } catch (thrown) {
    const failed = asError(thrown);
    if (isLater(failed) || failed.status >= 500) return { type: 'later', error: failed };
  }
  const isDone = isMade
    ? row !== null
    : method === 'DELETE'
      ? row === null
      : row !== null && holds(row, JSON.parse(body ?? '{}') as object);
  return isDone ? { type: 'done', answer: null } : { type: 'asks', error };
}

/** Whether a row has the values of a change. */
const holds = (row: Readonly<Record<string, unknown>>, changes: object): boolean =>
  Object.entries(changes).every(([field, value]) => JSON.stringify(row[field]) === JSON.stringify(value));
