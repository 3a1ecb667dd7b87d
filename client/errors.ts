/** What goes wrong, as one class: the status, the code and the details of the answer (docs/contract/common.md §3.1). */
import type { ServerCode } from './codes.ts';

/**
 * Codes of the client itself. `client.network`: no answer came, or it broke off. `client.unexpected`: an answer that no service of Skep gives, such as one of a
 * proxy. `client.stream_ended`: the node ends a stream for good; `details.reason` says why.
 * `client.graphql`: a GraphQL answer with `details.errors`, and what data there is beside them. `client.event_closed`: an event of a stateflow that the caller
 * cannot fire now. `client.foreign_sign_in`: a sign-in came back that this browser did not begin. `client.not_queued`: a write that the offline queue does not take, so
 * that nothing is sent and nothing kept; `details.reason` says why.
 */
export type ClientCode =
  | 'client.network'
  | 'client.unexpected'
  | 'client.stream_ended'
  | 'client.graphql'
  | 'client.event_closed'
  | 'client.foreign_sign_in'
  | 'client.not_queued';
export type SkepCode = ServerCode | ClientCode;

/** Details whose shape the contract states. */
interface StatedDetails {
  /** The version that the row has now. */
  readonly 'v2.precondition_failed': { readonly version: number };
  /** How many rows the filter finds; null where there are more than were named. */
  readonly 'v2.count_differs': { readonly found: number | null };
  /** The position to go on from, once the rows are read anew. */
  readonly 'v2.changes_position_over': { readonly after: number };
  readonly 'v2.rate_limited': RateDetails;
  readonly rate_limited: Pick<RateDetails, 'profile'> & { readonly retry_after_seconds: number };
  /** The faults of each field. */
  readonly 'intake.validation': { readonly fields: Readonly<Record<string, readonly string[]>> };
  /** The state of the row, and the events that the caller may fire. */
  readonly 'client.event_closed': { readonly current: string; readonly events: readonly string[] };
  readonly 'client.stream_ended': { readonly reason: string };
  /**
   * `full`: the bounds of the queue are reached. Else the name of the browser's exception: `QuotaExceededError` where it gives no more room, `VersionError` where a newer release of the client has
   * been here.
   */
  readonly 'client.not_queued': { readonly reason: string };
  readonly 'client.graphql': { readonly errors: readonly GraphqlError[]; readonly data?: unknown };
}

interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  /** `code` is one of the node's. */
  readonly extensions?: { readonly code?: string } & AnyDetails;
}

interface RateDetails {
  readonly profile: string;
  readonly limit: number;
  readonly remaining: number;
  readonly retry_after: number;
}

type AnyDetails = Readonly<Record<string, unknown>>;
export type DetailsOf<C extends SkepCode> = C extends keyof StatedDetails ? StatedDetails[C] : AnyDetails;

/** What an answer says beside its code. */
export interface Said {
  readonly message: string;
  readonly details?: AnyDetails;
  /** `X-Request-Id` of the answer: the node's log has it. */
  readonly requestId?: string | null;
  /** How long the answer asks callers to wait, in milliseconds. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

export class SkepError<C extends SkepCode = SkepCode> extends Error {
  override readonly name = 'SkepError';
  /** The status of the answer; 0 where there was none. */
  readonly status: number;
  readonly code: C;
  /** Empty where the answer has none. */
  readonly details: DetailsOf<C>;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(status: number, code: C, { message, details = {}, requestId, retryAfterMs, cause }: Said) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.details = details as DetailsOf<C>;
    this.requestId = requestId ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** An error as it can be stored, and posted to other tabs. */
export interface Failure {
  readonly status: number;
  readonly code: SkepCode;
  readonly message: string;
  readonly details: AnyDetails;
}

export const failureOf = ({ status, code, message, details }: SkepError): Failure => {
  return { status, code, message, details: { ...details } };
};

export const errorFrom = (failure: Failure | null | undefined): SkepError | null =>
  failure ? new SkepError(failure.status, failure.code, failure) : null;

/** Of a caller without a login that counts. */
export const unauthorizedError = (message: string, said?: Partial<Said>): SkepError =>
  new SkepError(401, 'unauthorized', { ...said, message });

/** Whether something thrown is an error of Skep, and has one of these codes; any code where none is named. The type is narrowed to them. */
export function isSkepError<C extends SkepCode = SkepCode>(
  thrown: unknown,
  ...codes: readonly C[]
): thrown is ErrorOf<C> {
  return thrown instanceof SkepError && (codes.length === 0 || (codes as readonly string[]).includes(thrown.code));
}

/** One class for each code, so that a comparison of `code` narrows `details`. */
export type ErrorOf<C extends SkepCode> = C extends SkepCode ? SkepError<C> : never;

/** The error that an answer tells of: in one of the four families of bodies, or in none. */
export async function errorOf(response: Response): Promise<SkepError> {
  const text = await response.text().catch(() => '');
  const { status, headers } = response;
  const said = { requestId: headers.get('x-request-id'), retryAfterMs: retryAfterOf(headers.get('retry-after')) };
  const body = jsonOf(text);
  if (typeof body?.['code'] === 'string')
    return new SkepError(status, body['code'] as SkepCode, {
      ...said,
      message: String(body['error']),
      details: (body['details'] ?? {}) as AnyDetails,
    });
  if (status === 429 && body?.['error'] === 'rate_limited') {
    const { error: _, ...details } = body;
    return new SkepError(status, 'rate_limited', { ...said, message: 'too many requests', details });
  }
  if (status === 401) return unauthorizedError(text || 'unauthorized', said);
  const message = `the answer ${status} of ${pathOf(response.url)} is none of Skep's`;
  return new SkepError(status, 'client.unexpected', { ...said, message, details: { text: text.slice(0, 500) } });
}

/** Queries may hold what logs should not. */
const pathOf = (url: string): string => url.split('?', 1)[0]!;

function jsonOf(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' ? (body as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function retryAfterOf(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
