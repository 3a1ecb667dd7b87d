/** Which function answers which route. */
import { limits } from '#config/limits.ts';
import type { Handlers } from '#actors/host/service.ts';
import { Bound } from '#actors/kit/bound.ts';
import { clearCache } from './cache/clear.ts';
import { contentStores } from './content-store/list.ts';
import { entities, entity, openApi, schema } from './documents/handlers.ts';
import { callEndpoint } from './endpoint/call-endpoint.ts';
import { expressing } from './expression/expressing.ts';
import { graphql, graphqlGet, sdl } from './graphql/handlers.ts';
import { replaying } from './idempotency/replay.ts';
import { mirrorHandlers } from './mirror.ts';
import { exportBulk } from './bulk/export.ts';
import { importBulk } from './bulk/import.ts';
import { health, ready } from './probe/health.ts';
import type { Vitals } from './probe/health.ts';
import { create } from './rest/create.ts';
import { remove } from './rest/delete.ts';
import { list } from './rest/list.ts';
import { operations } from './rest/operations.ts';
import { read } from './rest/read.ts';
import { restore } from './rest/restore.ts';
import { search } from './rest/search.ts';
import { update, updateById } from './rest/update.ts';
import { refuse } from './refusals.ts';
import { stateflow, stateflows } from './stateflow/handlers.ts';
import { routes, rows } from './routes.ts';
import type { Routes } from './routes.ts';

export function handlersOf(vitals: Vitals): Handlers<Routes> {
  const imports = new Bound(limits.data.importsRunningMax);
  const exports = new Bound(limits.data.exportsRunningMax);
  const own: Handlers<typeof rows> = {
    list,
    read,
    search,
    create,
    update,
    update_by_id: updateById,
    delete: remove,
    schema,
    schema_entities: entities,
    schema_entity: entity,
    graphql,
    graphql_get: graphqlGet,
    schema_graphql: sdl,
    schema_openapi: (call) => openApi(call, routes),
    restore,
    operations,
    endpoint: callEndpoint,
    endpoint_root: () => refuse('v2.endpoint_path_missing'),
    endpoint_slash: () => refuse('v2.endpoint_path_missing'),
    stateflows,
    stateflow,
    cache_clear: clearCache,
    content_stores: contentStores,
    import: (call) => importBulk(call, imports),
    export: (call) => exportBulk(call, exports),
    health: () => health(vitals),
    ready: () => ready(vitals),
  };
  // A kept answer is the envelope: what a program makes of it is made anew, so that a retry of one that failed writes nothing twice.
  return { ...expressing(rows, replaying(rows, own)), ...mirrorHandlers(rows, expressing(rows, own)) };
}
