/** An operator's call of a tenant's admin plane without HTTP: the same rows, in the name of the node itself. */
import { randomUUID } from 'node:crypto';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { RelayedAnswer, RelayedCall } from '#actors/protocol/relay.ts';
import type { Method } from '#actors/protocol/method.ts';

export interface AdminRequest {
  readonly tenant: string;
  /** The row's name in actors/data/admin/routes.ts. */
  readonly row: string;
  readonly method: Method;
  /** Path parameters, in their order. */
  readonly params?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The call as a tenant host takes it. Rows of the superadmin plane have the tenant as their first path parameter. */
export function relayedCallOf({ tenant, row, method, params = [], query = {}, body }: AdminRequest): RelayedCall {
  const segments = [tenant.split(':').at(-1)!, ...params].map(encodeURIComponent);
  return {
    route: `superadmin_${row}`,
    method,
    params: segments.join('\n'),
    query: new URLSearchParams(query).toString(),
    requestId: randomUUID(),
    body: body === undefined ? '' : Buffer.from(JSON.stringify(body)).toString('latin1'),
    principal: INTERNAL,
  };
}

export function adminAnswerOf({ status, text }: RelayedAnswer): AdminAnswer {
  return { status, body: text === '' ? null : JSON.parse(text) };
}
