/** One call at a gateway of the two, and what is known of it afterwards. */
import { holdAgainstDocument } from '#test/kit/documented.ts';
import type { Headers } from '#test/kit/test-node.ts';

export interface Reply {
  readonly status: number;
  /** The version that its ETag says; 0 without one. */
  readonly version: number;
  /** The body, which is of several routes: the caller says of which one. */
  readonly json: unknown;
}

/** `refused`: no connection came about, so nothing happened. `unknown`: it was sent, and no answer came, or one that says that nothing is known. */
export type Answered = Reply | 'refused' | 'unknown';

/** A caller waits so long: longer than a pause of the garbage collector, shorter than a lease. */
const PATIENCE_MS = 1500;

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body?: unknown;
}

export async function send(
  gateway: string,
  { method, path, headers, body }: Sent,
  patienceMs = PATIENCE_MS,
): Promise<Answered> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const answer = await fetch(gateway + path, {
      method,
      headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const { status } = answer;
    const type = answer.headers.get('content-type');
    holdAgainstDocument({ method, path, status, type, text });
    if (status >= 500) return 'unknown';
    const version = Number(answer.headers.get('etag')?.slice(1, -1) ?? 0);
    return { status, version, json: text === '' || type?.includes('json') !== true ? null : JSON.parse(text) };
  } catch (error) {
    if (isDescribed(error)) throw error;
    return codeOf(error) === 'ECONNREFUSED' ? 'refused' : 'unknown';
  }
}

/** What the document does not describe is a finding, and no lost answer: fetch itself throws errors with a cause, and those of its signal. */
function isDescribed(error: unknown): boolean {
  return (
    error instanceof Error && error.cause === undefined && error.name !== 'TimeoutError' && error.name !== 'AbortError'
  );
}

function codeOf(error: unknown): string | undefined {
  const cause = (error as Error).cause as (Error & { readonly code?: string }) | undefined;
  return cause?.code;
}
