/** Refusals: declared errors that a caller can meet. Each service lists its own as rows in `refusals.ts`. */

/** How the body looks: `coded` {error, code, details?}, `rate` {error, profile, retry_after_seconds}, `plain` text, `bare` empty. */
export type Family = 'coded' | 'rate' | 'plain' | 'bare';

export interface RefusalRow {
  /** Statuses it may carry; the first is the default. */
  readonly statuses: readonly [number, ...number[]];
  readonly family: Family;
  /** Why a caller meets it: the default `error` text and the row of the documentation. */
  readonly cause: string;
  /** Sent with each refusal that brings no headers of its own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers of a 401 that a bearer token would mend (RFC 9110 §15.5.2). */
export const WANTS_BEARER = { 'WWW-Authenticate': 'Bearer' } as const;

export type RefusalTable = Readonly<Record<string, RefusalRow>>;

export interface Refusal<C extends string = string> {
  readonly kind: 'refusal';
  readonly code: C;
  readonly status: number;
  readonly family: Family;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

export interface RefusalOptions {
  readonly status?: number;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Statuses = RefusalRow['statuses'];

/** A row of the family `coded`. `status`: the one that it carries, or several, the first of which is the default. */
export function coded<const S extends number | Statuses>(
  status: S,
  cause: string,
  headers?: Readonly<Record<string, string>>,
): RefusalRow & { readonly statuses: S extends Statuses ? S : readonly [S] } {
  const statuses = (typeof status === 'number' ? [status] : status) as S extends Statuses ? S : readonly [S];
  return { statuses, family: 'coded', cause, ...(headers !== undefined && { headers }) };
}

/** Fixes the rows' types, so that codes and statuses are literals. */
export function defineRefusals<const T extends RefusalTable>(rows: T): T {
  return rows;
}

export type Refuse<T extends RefusalTable> = <C extends keyof T & string>(
  code: C,
  options?: RefusalOptions & { readonly status?: T[C]['statuses'][number] },
) => Refusal<C>;

/** Makes the `refuse` function of one table. A status that the row does not list is a programming error. */
export function refuserOf<T extends RefusalTable>(table: T): Refuse<T> {
  return (code, options = {}) => {
    const row = table[code];
    if (row === undefined) throw new Error(`refusal ${code} is not declared`);
    const status = options.status ?? row.statuses[0];
    if (!row.statuses.includes(status)) throw new Error(`refusal ${code} does not declare status ${status}`);
    return {
      kind: 'refusal',
      code,
      status,
      family: row.family,
      message: options.message ?? row.cause,
      details: options.details,
      headers: options.headers ?? row.headers,
    };
  };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'refusal';
}

/** The body of a refusal in its family's shape; `''` for bare ones. */
export function refusalBody(refusal: Refusal): string {
  switch (refusal.family) {
    case 'bare':
      return '';
    case 'plain':
      return refusal.message;
    case 'rate':
      return JSON.stringify({ error: refusal.code, ...refusal.details });
    case 'coded':
      return JSON.stringify(
        refusal.details === undefined
          ? { error: refusal.message, code: refusal.code }
          : { error: refusal.message, code: refusal.code, details: refusal.details },
      );
  }
}

export function refusalType(family: Family): string {
  return family === 'plain' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
}
