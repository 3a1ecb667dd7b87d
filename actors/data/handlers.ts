/** Which function answers which route. */
import type { Handlers } from '#actors/host/service.ts';
import { entities, entity, openApi, schema } from './documents/handlers.ts';
import { graphql, graphqlGet, sdl } from './graphql/handlers.ts';
import { replaying } from './idempotency/replay.ts';
import { mirrorHandlers } from './mirror.ts';
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
import { routes, rows } from './routes.ts';
import type { Routes } from './routes.ts';

export function handlersOf(vitals: Vitals): Handlers<Routes> {
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
    health: () => health(vitals),
    ready: () => ready(vitals),
  };
  return { ...replaying(rows, own), ...mirrorHandlers(rows, own) };
}
