/** Routes of the data service: entity REST and the probes (data.md "Entity REST"). */
import { defineRoutes } from '#actors/protocol/route.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { ENDPOINT_HEADERS } from '#config/definitions/product.ts';
import type { refusals } from './refusals.ts';
import { envelope, health, ready, row, scripted } from './shapes.ts';

/** Enveloped routes take `?expression=`. */
const expressed = ['v2.bad_expression', 'v2.expression_runtime'] as const;

/** Every route of a tenant's rows. */
const rest = { position: 'door', auth: 'required', ack: 'fsync' } as const;
const probe = { position: 'none', auth: 'none', body: 'none', ack: 'memory', refusals: [] } as const;
const everywhere = ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.bad_path'] as const;

export const routes = defineRoutes<typeof refusals>()({
  list: {
    ...rest,
    methods: ['GET'],
    path: '/data/rest/{entity}',
    headers: ['x-api-key'],
    body: 'none',
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, 'v2.entity_not_found', 'v2.query_failed'],
    summary: 'List rows',
  },
  read: {
    ...rest,
    methods: ['GET'],
    path: '/data/rest/{entity}/id/{id}',
    body: 'none',
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, 'v2.entity_not_found', 'v2.row_not_found', 'v2.query_failed'],
    summary: 'Read one row',
  },
  create: {
    ...rest,
    methods: ['POST'],
    path: '/data/rest/{entity}',
    body: 'json',
    request: row,
    replies: { 201: envelope },
    refusals: [...everywhere, ...expressed, 'v2.bad_json', 'v2.entity_not_found', 'v2.create_failed'],
    summary: 'Create a row',
  },
  update: {
    ...rest,
    methods: ['PUT', 'PATCH'],
    path: '/data/rest/{entity}',
    body: 'json',
    request: row,
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, 'v2.bad_json', 'v2.missing_id', 'v2.update_failed'],
    summary: 'Change fields of a row, its primary key in the body',
  },
  update_by_id: {
    ...rest,
    methods: ['PUT', 'PATCH'],
    path: '/data/rest/{entity}/id/{id}',
    body: 'json',
    request: row,
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, 'v2.bad_json', 'v2.id_mismatch', 'v2.update_failed'],
    summary: 'Change fields of a row',
  },
  delete: {
    ...rest,
    methods: ['DELETE'],
    path: '/data/rest/{entity}/id/{id}',
    body: 'none',
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, 'v2.delete_failed'],
    summary: 'Delete a row, softly by default',
  },
  endpoint: {
    ...rest,
    auth: 'optional',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/data/x/{path*}',
    headers: [CALLER_IP, ...ENDPOINT_HEADERS],
    body: 'json',
    replies: { 200: scripted },
    refusals: [
      'unauthorized',
      'v2.no_tenant',
      'v2.engine_unavailable',
      'v2.bad_body',
      'v2.unauthenticated',
      'v2.forbidden',
      'v2.endpoint_not_found',
      'v2.method_not_allowed',
      'v2.rate_limited',
      'v2.script_error',
      'v2.script_engine_missing',
    ],
    summary: 'Call a scripted endpoint',
  },
  endpoint_root: {
    ...rest,
    auth: 'optional',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/data/x',
    body: 'none',
    replies: {},
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.endpoint_path_missing'],
    summary: 'Names no endpoint',
  },
  endpoint_slash: {
    ...rest,
    auth: 'optional',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/data/x/',
    body: 'none',
    replies: {},
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.endpoint_path_missing'],
    summary: 'Names no endpoint',
  },
  health: {
    ...probe,
    methods: ['GET'],
    path: '/data/health',
    replies: { 200: health, 500: health },
    summary: 'Health of the service',
  },
  ready: {
    ...probe,
    methods: ['GET'],
    path: '/data/ready',
    replies: { 200: ready, 500: ready },
    summary: 'Whether the service takes requests',
  },
});

export type Routes = typeof routes;
