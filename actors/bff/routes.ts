/** Routes of the BFF. Source: docs/contract/bff.md §2. The door imports these rows, never the handlers. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { BFF_HEADERS } from '#config/definitions/bff/shapes.ts';
import { healthyShape, readyShape } from '#actors/protocol/probe-shapes.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from './refusals.ts';
import * as shapes from './shapes.ts';

const probe = {
  position: 'none',
  callers: anyone(),
  rate: 'probe',
  methods: ['GET'],
  body: 'none',
  ack: 'memory',
  refusals: [],
} as const;
/** A bearer, if one is sent, must count here. */
const shown = { anonymous: true, users: [{ impersonation: 'readonly' }], service: 'here' } as const;
const everywhere = ['bff.unauthorized', 'bff.failed', 'bff.unavailable', 'bff.storage_full'] as const;

export const routes = defineRoutes<typeof refusals>()({
  list: {
    position: 'door',
    callers: callers({
      ...shown,
      further: 'sees the endpoints whose `auth` lets it in; their calls with a credential only',
    }),
    rate: 'bff_anonymous',
    methods: ['GET'],
    path: '/bff/list',
    body: 'none',
    ack: 'fsync',
    replies: { 200: shapes.inventory },
    refusals: everywhere,
    summary: "The endpoints that the tenant's product declares, as they are served",
  },
  health: { ...probe, path: '/bff/health', replies: { 200: healthyShape }, summary: 'Whether the service lives' },
  ready: {
    ...probe,
    path: '/bff/ready',
    headers: ['accept'],
    replies: { 200: readyShape },
    summary: 'Whether requests are taken',
  },
  endpoint: {
    position: 'door',
    callers: callers({ ...shown, further: 'the `auth` of the endpoint; its calls go on as the caller' }),
    rate: 'bff_anonymous',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/bff/{path*}',
    headers: [...BFF_HEADERS, 'traceparent', 'tracestate'],
    body: 'json',
    ack: 'fsync',
    replies: { 200: shapes.composed },
    refusals: [
      ...everywhere,
      'bff.forbidden',
      'bff.endpoint_not_found',
      'bff.method_not_allowed',
      'bff.bad_body',
      'bff.bad_value',
      'bff.upstream_failed',
      'bff.response_failed',
    ],
    summary: 'Call an endpoint of the product (`bff/*.yaml`): several calls, one answer',
  },
});
export type Routes = typeof routes;
