/** The scripted endpoints of a tenant as route rows, for the documents: those whose `auth` admits the caller. */
import { hash } from 'node:crypto';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { refuseCaller } from '../endpoint/admit.ts';
import { PASSED } from '../script/refused.ts';

export type OfferedEndpoint = Pick<EndpointDefinition, 'path' | 'verb' | 'kind' | 'auth' | 'headers' | 'refusals'>;

export function offeredTo(
  principal: Principal | null,
  endpoints: readonly EndpointDefinition[] = [],
): readonly EndpointDefinition[] {
  return endpoints.filter(({ auth }) => refuseCaller(auth, principal) === null);
}

/** A cache key: the same text for the same endpoints. */
export function signatureOf(endpoints: readonly OfferedEndpoint[]): string {
  const parts = endpoints.map(({ path, verb, kind, headers, refusals }) => [path, verb, kind, headers, refusals]);
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/** Codes that an endpoint answers only with `refusals: pass`. `v2.forbidden` is not among them: an endpoint's own access rule answers it, too. */
const ONLY_PASSED: readonly string[] = PASSED.filter((code) => code !== 'v2.forbidden');

/** The row of all endpoints, narrowed to one. */
export function endpointRow(row: RouteRow, endpoint: OfferedEndpoint): RouteRow {
  const { path, verb, kind, headers, refusals } = endpoint;
  const isKeyed = kind === 'mutate' ? ['idempotency-key'] : [];
  const how =
    refusals === 'pass' ? 'are answered as they are' : 'are answered as 500 v2.script_error, named in details.cause';
  return {
    ...row,
    methods: [verb],
    path: `/data/x/${path}`,
    headers: [...headers, ...isKeyed],
    body: verb === 'GET' && kind === 'query' ? 'none' : row.body,
    refusals: refusals === 'pass' ? row.refusals : row.refusals.filter((code) => !ONLY_PASSED.includes(code)),
    summary: `Call the endpoint ${path}; refusals that its script does not catch ${how}`,
  };
}
