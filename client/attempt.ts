/** One attempt of a write of the offline queue, and what its answer means. */
import { SkepError } from './errors.ts';
import { isSafeAgain, type Entry } from './queue-entry.ts';
import { asError, isPassing, type Answer, type Ask, type Credential, type Transport } from './transport.ts';

export type Verdict =
  /** It is carried out, now or before; without an answer where that was lost. */
  | { readonly type: 'done'; readonly answer: Answer | null }
  /** It is sent again later, before all that stand behind it. `isFault`: the node failed at it. `isAlone`: others can leave, since the node answers what is asked beside it. */
  | { readonly type: 'later'; readonly error: SkepError; readonly isFault?: boolean; readonly isAlone?: boolean }
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
    const { code, details } = error;
    const kind = kindOf(error);
    if (code === 'v2.idempotency_key_in_use' && (details as { readonly written?: boolean }).written)
      return { type: 'done', answer: null };
    if (kind === 'passes') return { type: 'later', error };
    if (kind === 'fault')
      return entry.faults < FAULTS_MAX ? { type: 'later', error, isFault: true } : { type: 'asks', error };
    if (kind === 'refusal' && !isStale) return { type: 'refused', error };
    // The row says whether the write is carried out; and that the node can be reached, where its reading is answered.
    const row = await rowOf(speaker, entry).catch(asError);
    const heard = row instanceof SkepError ? kindOf(row) : 'refusal';
    if (!isStale) return { type: 'later', error, isAlone: heard === 'refusal' };
    if (heard === 'passes') return { type: 'later', error };
    return isDone(entry, row) ? { type: 'done', answer: null } : { type: 'asks', error };
  }
}

/** An answer of the node. The page with which a network asks for its own login, in place of that answer, is none. */
async function said({ transport, credential, signal }: Speaker, ask: Ask): Promise<Answer> {
  const answer = await transport.send({ ...ask, credential, signal, again: 'never' });
  if (Array.isArray((answer.json as { readonly data?: unknown } | null)?.data)) return answer;
  throw new SkepError(answer.status, 'client.unexpected', { message: 'no answer of Skep' });
}

/** `foreign`: something between here and the node has answered, such as the login of a network, or a filter that this write displeases. */
function kindOf(error: SkepError): 'passes' | 'foreign' | 'fault' | 'refusal' {
  const { status, code, cause } = error;
  if (cause instanceof SyntaxError) return 'foreign';
  if (isPassing(error) || [401, 408, 425].includes(status) || code === 'v2.no_tenant') return 'passes';
  if (code === 'client.unexpected') return 'foreign';
  return status >= 500 ? 'fault' : 'refusal';
}

/** The row that a write leaves or makes. Of several rows, which are made all or none, the first one. */
async function rowOf(speaker: Speaker, { path, ids, isMade }: Entry): Promise<AnyRow | undefined> {
  const at = isMade ? `${path}/id/${ids[0]!}` : path.split('?', 1)[0]!;
  return ((await said(speaker, { method: 'GET', path: at })).json as { readonly data: readonly AnyRow[] }).data[0];
}

/** Whether a row, or the error in its place, is as the write leaves it. */
function isDone({ method, body }: Entry, row: AnyRow | SkepError | undefined): boolean {
  const isError = row instanceof SkepError;
  if (method === 'DELETE') return isError && row.code === 'v2.row_not_found';
  const [written] = [JSON.parse(body!) as object].flat();
  return !isError && Object.entries(written!).every(([field, value]) => isSame(row?.[field], value));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

type AnyRow = Readonly<Record<string, unknown>>;
