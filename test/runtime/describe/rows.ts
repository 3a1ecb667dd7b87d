/** A small service to describe. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { z } from 'zod';
import { defineRefusals } from '#actors/protocol/refusal.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { ServiceRows } from '#runtime/route-directory.ts';

const refusals = defineRefusals({
  unauthorized: { statuses: [401], family: 'plain', cause: 'Unauthorized' },
  'b.missing': { statuses: [404, 410], family: 'coded', cause: 'no such bee | hive' },
  'b.bad': { statuses: [404], family: 'coded', cause: 'bad' },
  gone: { statuses: [410], family: 'bare', cause: 'gone' },
});

const base = { position: 'door', callers: callers({ users: [{}], keys: {} }), ack: 'fsync' } as const;

const routes = defineRoutes<typeof refusals>()({
  read: {
    ...base,
    methods: ['GET'],
    path: '/bees/{hive}/{path*}',
    body: 'none',
    headers: ['if-none-match', 'accept', ':ip'],
    replies: { 200: z.object({ id: z.string() }) },
    refusals: ['unauthorized', 'b.missing', 'b.bad', 'gone'],
    summary: 'Read a bee',
  },
  write: {
    ...base,
    methods: ['PUT', 'PATCH'],
    path: '/bees',
    rate: 'bees',
    body: 'json',
    request: z.object({ id: z.string().default('x'), n: z.int().optional() }),
    replies: { 200: z.object({ id: z.string() }), 204: null },
    refusals: ['unauthorized'],
    summary: 'Write a bee',
  },
  health: {
    methods: ['GET'],
    path: '/health',
    position: 'none',
    to: 'intake',
    listener: 'own',
    callers: anyone(),
    body: 'none',
    ack: 'memory',
    replies: { 200: z.object({ ok: z.literal(true) }) },
    refusals: [],
    summary: 'Probe',
  },
});

export const bees: ServiceRows = { name: 'data', routes, refusals };

export const door = defineRefusals({
  'invalid tenant': { statuses: [400], family: 'coded', cause: 'invalid tenant' },
  'v2.no_tenant': { statuses: [403], family: 'coded', cause: 'not active' },
  body_too_large: { statuses: [413], family: 'coded', cause: 'large' },
  body_too_slow: { statuses: [408], family: 'coded', cause: 'slow body' },
  rate_limited: { statuses: [429], family: 'rate', cause: 'empty' },
  tenant_suspended: { statuses: [403], family: 'coded', cause: 'no hive may be asked' },
  cross_origin: { statuses: [403], family: 'coded', cause: 'no bee of this field' },
  tenant_read_only: { statuses: [403], family: 'coded', cause: 'no hive takes honey' },
  tenant_quota: { statuses: [429], family: 'coded', cause: 'all honey of today is eaten' },
  suspended: { statuses: [503], family: 'coded', cause: 'held its host' },
  overloaded: { statuses: [503], family: 'coded', cause: 'busy' },
  unavailable: { statuses: [503], family: 'coded', cause: 'restarts' },
  not_found: { statuses: [404], family: 'bare', cause: 'no route' },
});
