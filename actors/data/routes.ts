/** Routes of the data service: entity REST and the probes (docs/contract/data.md §4). */
import { anyone } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import { ENDPOINT_HEADERS } from '#config/definitions/product.ts';
import { superadminOf } from './admin/mirror.ts';
import { adminRows } from './admin/routes.ts';
import { nodeRows, targetedRows } from './admin/superadmin-routes.ts';
import { signedRows } from './file/routes.ts';
import { changeRows } from './changes/routes.ts';
import { channelRows } from './channel/routes.ts';
import { foundRows } from './rest/routes.ts';
import { changing, looking, scriptedCallers } from './who.ts';
import { mirrorOf } from './mirror.ts';
import type { refusals } from './refusals.ts';
import { acted, bulk, changed, counted, created, everywhere, expressed } from './route-refusals.ts';
import { graphqlRefusals, inParts, ofFile, once, scriptedRefusals } from './route-refusals.ts';
import {
  document,
  entityDocument,
  entityList,
  envelope,
  exported,
  file,
  graphqlAnswer,
  graphqlAnswered,
} from './shapes.ts';
import { graphqlRequest, health, imported, importData, operationsBody, operationsDone } from './shapes.ts';
import { actionDone, actionParameters } from './shapes.ts';
import {
  cacheCleared,
  contentStoreMap,
  ready,
  row,
  rowOrFile,
  rowOrRows,
  schemaDocument,
  scripted,
  sdl,
} from './shapes.ts';
import { search, stateflowList, stateflowMachine } from './shapes.ts';

/** Common to every route of a tenant's rows. */
const rest = { position: 'door', callers: looking(), ack: 'fsync', emptyParams: true } as const;
/** The same for a route that changes something. */
const writing = { ...rest, callers: changing() } as const;
/** Changes one row; with `If-Match` only from the version that the caller saw. */
const conditional = { callers: changing(), headers: ['if-match', 'idempotency-key'] } as const;
const probe = { position: 'none', callers: anyone(), body: 'none', ack: 'memory', refusals: [] } as const;
/** The path of scripted endpoints with no endpoint named. */
const noEndpoint = {
  ...rest,
  everyVerb: true,
  callers: scriptedCallers,
  rate: 'data_anonymous',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  body: 'none',
  compressed: false,
  replies: {},
  refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.endpoint_path_missing'],
  always: 'v2.endpoint_path_missing',
  summary: 'Names no endpoint',
} as const;
/** Documents of a tenant's schema, as its caller may see it. */
const mayRead = { ...rest, whileReadOnly: true } as const;
const described = { ...rest, methods: ['GET'], headers: ['if-none-match'], body: 'none' } as const;

/** The rows as they are declared; the mirror is derived from them. */
export const rows = defineRoutes<typeof refusals>()({
  list: {
    ...rest,
    methods: ['GET'],
    path: '/data/rest/{entity}',
    callers: looking(['GET']),
    headers: ['x-api-key'],
    body: 'none',
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, 'v2.entity_not_found', 'v2.query_failed', 'v2.download_needs_id'],
    summary: 'List rows',
  },
  read: {
    ...rest,
    methods: ['GET'],
    path: '/data/rest/{entity}/id/{id}',
    headers: ['if-none-match'],
    queryHeaders: ['range', 'if-range'],
    body: 'none',
    replies: { 200: rowOrFile, 206: file, 304: null },
    refusals: [...ofFile, ...expressed, 'v2.range_not_satisfiable'],
    summary: 'Read one row, or the bytes of a file field (`download=true&field=`)',
  },
  ...signedRows,
  search: {
    ...mayRead,
    methods: ['POST'],
    path: '/data/rest/{entity}/search',
    body: 'json',
    request: search,
    replies: { 200: envelope },
    refusals: [
      ...everywhere,
      ...expressed,
      'v2.search_body_parse_failed',
      'v2.search_text_not_supported',
      'v2.search_dsl_not_supported',
      'v2.search_query_failed',
    ],
    summary: 'List rows by a filter in the body',
  },
  create: {
    ...writing,
    methods: ['POST'],
    path: '/data/rest/{entity}',
    headers: ['idempotency-key'],
    body: 'json',
    multipart: true,
    request: rowOrRows,
    replies: { 200: envelope, 201: envelope },
    refusals: created,
    summary: 'Create a row, or many; with `[on]`, change the row that holds a unique key',
  },
  update: {
    ...rest,
    ...conditional,
    headers: [...conditional.headers, 'if-count'],
    methods: ['PUT', 'PATCH'],
    path: '/data/rest/{entity}',
    body: 'json',
    request: row,
    replies: { 200: envelope },
    refusals: [
      ...everywhere,
      ...expressed,
      ...changed,
      'v2.bad_json',
      'v2.missing_id',
      'v2.update_failed',
      'v2.precondition_failed',
      ...counted,
    ],
    summary: 'Change fields of a row, its primary key in the body; with If-Count, of all rows that the filter finds',
  },
  update_by_id: {
    ...rest,
    ...conditional,
    methods: ['PUT', 'PATCH'],
    path: '/data/rest/{entity}/id/{id}',
    body: 'json',
    multipart: true,
    request: row,
    replies: { 200: envelope },
    refusals: [
      ...everywhere,
      ...expressed,
      ...changed,
      'v2.bad_json',
      'v2.id_mismatch',
      'v2.update_failed',
      'v2.precondition_failed',
      ...inParts,
    ],
    summary: 'Change fields of a row; as multipart, its files, too',
  },
  delete: {
    ...rest,
    ...conditional,
    methods: ['DELETE'],
    path: '/data/rest/{entity}/id/{id}',
    body: 'none',
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, ...changed, 'v2.delete_failed', 'v2.precondition_failed'],
    summary: 'Delete a row, softly by default',
  },
  ...foundRows,
  ...changeRows,
  ...channelRows,
  schema: {
    ...described,
    path: '/data/schema',
    replies: { 200: schemaDocument, 304: null },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'],
    summary: 'Describe all entities',
  },
  schema_entities: {
    ...described,
    path: '/data/schema/entities',
    replies: { 200: entityList, 304: null },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'],
    summary: 'List the entities',
  },
  schema_entity: {
    ...described,
    path: '/data/schema/entities/{entity}',
    replies: { 200: entityDocument, 304: null },
    refusals: [...everywhere, 'v2.entity_not_found'],
    summary: 'Describe one entity',
  },
  schema_graphql: {
    ...described,
    path: '/data/schema/graphql',
    replies: { 200: sdl, 304: null },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'],
    summary: 'The GraphQL schema of the tenant, as SDL',
  },
  schema_openapi: {
    ...described,
    path: '/data/schema/openapi.json',
    replies: { 200: document, 304: null },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'],
    summary: 'The OpenAPI 3.1 document of the tenant',
  },
  graphql: {
    ...mayRead,
    methods: ['POST'],
    path: '/data/graphql',
    headers: ['accept', 'content-type', 'idempotency-key'],
    body: 'json',
    request: graphqlRequest,
    replies: { 200: graphqlAnswered, 400: graphqlAnswer },
    refusals: [...graphqlRefusals, ...once],
    summary: 'Query and change rows by GraphQL',
  },
  graphql_get: {
    ...rest,
    methods: ['GET'],
    path: '/data/graphql',
    headers: ['accept'],
    body: 'none',
    replies: { 200: graphqlAnswered, 400: graphqlAnswer, 405: graphqlAnswer },
    refusals: graphqlRefusals,
    summary: 'Query rows by GraphQL',
  },
  restore: {
    ...rest,
    ...conditional,
    methods: ['POST'],
    path: '/data/rest/{entity}/id/{id}/restore',
    body: 'none',
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, ...changed, 'v2.restore_failed', 'v2.precondition_failed'],
    summary: 'Undo a soft delete',
  },
  operations: {
    ...rest,
    methods: ['POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/data/rest',
    callers: changing(['PATCH']),
    headers: ['x-api-key', 'idempotency-key'],
    body: 'json',
    request: operationsBody,
    replies: { 200: operationsDone },
    refusals: [
      'unauthorized',
      'v2.no_tenant',
      'v2.engine_unavailable',
      ...expressed,
      ...changed,
      'v2.body_read',
      'v2.bad_json',
      'v2.empty_envelope',
      'v2.bulk_failed',
    ],
    summary: 'Write many rows, all or none',
  },
  action_read: {
    ...rest,
    everyVerb: true,
    methods: ['GET'],
    path: '/data/actions/{name}',
    body: 'none',
    replies: { 200: actionDone },
    refusals: acted,
    summary: 'Call the read section of an action',
  },
  action: {
    ...mayRead,
    methods: ['POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/data/actions/{name}',
    headers: ['idempotency-key'],
    body: 'json',
    request: actionParameters,
    replies: { 200: actionDone },
    refusals: [...acted, ...once],
    summary: 'Call the section of an action that the verb names',
  },
  entity_action: {
    ...mayRead,
    methods: ['POST'],
    path: '/data/rest/{entity}/action/{action}',
    headers: ['idempotency-key'],
    body: 'json',
    request: actionParameters,
    replies: { 200: envelope },
    refusals: [...acted, ...once, 'v2.bad_json', 'v2.body_read', 'v2.registry_unavailable'],
    summary: 'Call an action of an entity: its read section, or the one that `_method` names',
  },
  endpoint: {
    ...mayRead,
    everyVerb: true,
    callers: scriptedCallers,
    rate: 'data_anonymous',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path: '/data/x/{path*}',
    headers: [CALLER_BUCKET, ...ENDPOINT_HEADERS, 'idempotency-key'],
    body: 'json',
    // What a script answers is not known here.
    compressed: false,
    replies: { 200: scripted },
    refusals: scriptedRefusals,
    summary: 'Call a scripted endpoint',
  },
  endpoint_root: { ...noEndpoint, path: '/data/x' },
  endpoint_slash: { ...noEndpoint, path: '/data/x/' },
  stateflows: {
    ...rest,
    methods: ['GET'],
    path: '/data/stateflows',
    body: 'none',
    replies: { 200: stateflowList },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'],
    summary: 'List the stateflows',
  },
  stateflow: {
    ...rest,
    methods: ['GET'],
    path: '/data/stateflow/{name}',
    body: 'none',
    replies: { 200: stateflowMachine },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.missing_name', 'v2.stateflow_not_found'],
    summary: 'Show one stateflow',
  },
  cache_clear: {
    ...writing,
    methods: ['DELETE'],
    path: '/data/cache',
    body: 'none',
    replies: { 200: cacheCleared },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.forbidden', 'v2.cache_clear_failed'],
    summary: 'Drop the caches of the tenant',
  },
  content_stores: {
    ...rest,
    methods: ['GET'],
    path: '/data/contentstore/list',
    body: 'none',
    replies: { 200: contentStoreMap },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.contentstore_list_failed'],
    summary: 'List the declared content stores',
  },
  import: {
    ...writing,
    methods: ['POST'],
    path: '/data/bulk',
    headers: ['idempotency-key'],
    body: 'stream',
    request: importData,
    replies: { 200: imported, 207: imported },
    refusals: [...bulk, ...changed, 'v2.create_failed', 'v2.import_failed'],
    summary:
      'Import rows as CSV, JSON or JSON lines; 207 where a refused row has ended the import (`skiperrors=true` goes on)',
  },
  export: {
    ...rest,
    methods: ['PATCH'],
    path: '/data/bulk',
    callers: looking(['PATCH']),
    headers: ['x-api-key'],
    body: 'none',
    replies: { 200: exported },
    refusals: [...bulk],
    summary: 'Export rows as CSV, JSON or JSON lines',
  },
  health: {
    ...probe,
    rate: 'probe',
    methods: ['GET'],
    path: '/data/health',
    replies: { 200: health, 500: health },
    summary: 'Health of the service',
  },
  ready: {
    ...probe,
    rate: 'probe',
    methods: ['GET'],
    path: '/data/ready',
    replies: { 200: ready, 500: ready },
    summary: 'Whether the service takes requests',
  },
});

/** Rows that the tenant in the path answers to superadmins. */
export const relayedRows = { ...superadminOf(adminRows), ...targetedRows };

/** Rows that a tenant's own OpenAPI document describes. */
export const documented = { ...rows, ...mirrorOf(rows) };

/** Every route, the mirrors among them. */
export const routes = { ...documented, ...adminRows, ...relayedRows, ...nodeRows };

export type Routes = typeof routes;
