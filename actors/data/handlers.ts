/** Which function answers which route. */
import { limits } from '#config/limits.ts';
import { replaying, type Once } from '#actors/host/idempotency/replay.ts';
import type { AnyHandler, Handlers } from '#actors/host/service.ts';
import { Bound } from '#actors/kit/bound.ts';
import type { Relay } from '#actors/protocol/relay.ts';
import { callAction, callEntityAction } from './action/call-action.ts';
import { gated } from './admin/gate.ts';
import { adminHandlers } from './admin/handlers.ts';
import { adminRows } from './admin/routes.ts';
import { listTenants, relaying } from './admin/superadmin.ts';
import { clearCache } from './cache/clear.ts';
import { contentStores } from './content-store/list.ts';
import { entities, entity, openApi, schema } from './documents/handlers.ts';
import { callEndpoint } from './endpoint/call-endpoint.ts';
import { expressing } from './expression/expressing.ts';
import { graphql, graphqlGet, sdl } from './graphql/handlers.ts';
import { signFile } from './file/sign.ts';
import { readSigned } from './file/read-signed.ts';
import { mirrorHandlers } from './mirror.ts';
import { exportBulk } from './bulk/export.ts';
import { importBulk } from './bulk/import.ts';
import type { Changes } from './changes/changes.ts';
import { acknowledge } from './changes/group/acknowledge.ts';
import { graphqlLive, live } from './changes/live.ts';
import type { Channels } from './channel/channels.ts';
import { join } from './channel/join.ts';
import { send, setState } from './channel/send.ts';
import { subscribe } from './changes/subscribe.ts';
import { ticket } from './changes/ticket.ts';
import { health, ready, type Vitals } from './probe/health.ts';
import { removeFound } from './rest/by-filter.ts';
import { create } from './rest/create.ts';
import { remove } from './rest/delete.ts';
import { list } from './rest/list.ts';
import { operations } from './rest/operations.ts';
import { read } from './rest/read.ts';
import { restore } from './rest/restore.ts';
import { search } from './rest/search.ts';
import { update, updateById } from './rest/update.ts';
import { refuse } from './refusals.ts';
import { enacting } from './script/enacting.ts';
import { stateflow, stateflows } from './stateflow/handlers.ts';
import { documented, relayedRows, rows, type Routes } from './routes.ts';

/** Routes whose writes may cause scripts. Multipart creates and GraphQL call `enact` themselves. */
const WAITING = ['create', 'update', 'update_by_id', 'operations', 'action', 'entity_action'] as const;

const once: Once = {
  invalid: () => refuse('v2.idempotency_key_invalid'),
  reused: () => refuse('v2.idempotency_key_reused'),
  inUse: (told) => refuse('v2.idempotency_key_in_use', told),
  claiming: new Set(['graphql', 'endpoint', 'import']),
};

export function handlersOf(vitals: Vitals, relay: Relay, changes: Changes, channels: Channels): Handlers<Routes> {
  const imports = new Bound(limits.data.importsRunningMax);
  const exports = new Bound(limits.data.exportsRunningMax);
  const plain: Handlers<typeof rows> = {
    list,
    read,
    sign: signFile,
    read_signed: readSigned,
    search,
    create,
    update,
    update_by_id: updateById,
    delete: remove,
    delete_found: removeFound,
    changes: (call) => subscribe(call, changes),
    changes_acknowledge: (call) => acknowledge(call, changes),
    changes_ticket: (call) => ticket(call, changes),
    live: (call) => live(call, changes),
    graphql_live: (call) => graphqlLive(call, changes),
    channel_join: (call) => join(call, channels),
    channel_send: (call) => send(call, channels),
    channel_state: (call) => setState(call, channels),
    schema,
    schema_entities: entities,
    schema_entity: entity,
    graphql: (call) => graphql(call, changes),
    graphql_get: (call) => graphqlGet(call, changes),
    schema_graphql: sdl,
    schema_openapi: (call) => openApi(call, documented),
    restore,
    operations,
    action_read: callAction,
    action: callAction,
    entity_action: callEntityAction,
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
  const own = enacting(plain, WAITING);
  // The answer kept for a key is the envelope, and a retry runs its expression anew: one whose expression failed writes nothing twice.
  return {
    ...expressing(rows, replaying(rows, own, once)),
    ...mirrorHandlers(rows, expressing(rows, own)),
    ...gated(adminRows, adminHandlers),
    ...relayedAway(relay),
    superadmin_tenants: (call) => listTenants(call, relay),
  };
}

/** Rows of the superadmin plane are answered by the tenant in the path, by way of its own host. */
function relayedAway(relay: Relay): Handlers<typeof relayedRows> {
  const away = relaying(relay) as AnyHandler;
  const names = Object.keys(relayedRows);
  return Object.fromEntries(names.map((name) => [name, away])) as unknown as Handlers<typeof relayedRows>;
}
