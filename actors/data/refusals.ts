/** What a caller of the data service can be refused with (docs/contract/data.md §2.3, §4, §10). */
import { coded, defineRefusals, refuserOf, WANTS_BEARER, type Refusal } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { adminRefusals } from './admin/refusals.ts';
import { upkeepRefusals } from './admin/upkeep-refusals.ts';

export const refusals = defineRefusals({
  unauthorized: { statuses: [401], family: 'plain', cause: 'Unauthorized', headers: WANTS_BEARER },
  'v2.bad_path': coded(400, 'the path names no entity or no id'),
  'v2.bad_json': coded(400, 'the body is not a JSON object'),
  'v2.missing_id': coded(400, 'the body does not hold the primary key'),
  'v2.id_mismatch': coded(422, 'the key in the body differs from the id in the path'),
  'v2.no_tenant': coded(403, 'no tenant is active at this position'),
  'v2.entity_not_found': coded(404, 'no such entity'),
  'v2.row_not_found': coded(404, 'no such row, or it is deleted'),
  'v2.query_failed': coded([422, 403, 404, 500], 'the query could not be answered'),
  'v2.create_failed': coded([422, 403, 404, 500], 'the row was not created'),
  'v2.update_failed': coded([422, 403, 404, 500], 'the row was not updated'),
  'v2.delete_failed': coded([422, 403, 404, 500], 'the row was not deleted'),
  'v2.search_body_parse_failed': coded(400, 'the body is not {filter: {…}}'),
  'v2.search_text_not_supported': coded(501, 'the entity declares no search, or its text index is not built yet'),
  'v2.search_dsl_not_supported': coded(501, 'there is no search by expression'),
  'v2.search_query_failed': coded([422, 403, 404, 500], 'the query could not be answered'),
  'v2.graphql_invalid': coded(
    400,
    'the GraphQL document does not parse, fit the schema or take these variables (in errors[].extensions.code)',
  ),
  'v2.graphql_too_complex': coded(
    400,
    'the GraphQL document passes a bound of size, depth, aliases or cost (in errors[].extensions.code)',
  ),
  'v2.restore_failed': coded([422, 403, 404, 500], 'the row was not restored'),
  'v2.precondition_failed': coded(412, 'the row has another version than If-Match names'),
  'v2.count_invalid': coded(400, 'If-Count is no whole number'),
  'v2.count_differs': coded(412, 'the filter finds another number of rows than If-Count says'),
  'v2.body_read': coded(400, 'the body cannot be read as text'),
  'v2.empty_envelope': coded(400, 'the envelope holds no operations'),
  'v2.bulk_failed': coded(422, 'an operation failed and everything was rolled back'),
  'v2.idempotency_key_invalid': coded(400, 'Idempotency-Key has not 1 to 255 visible characters'),
  'v2.idempotency_key_reused': coded(422, 'the Idempotency-Key came with another request before'),
  'v2.idempotency_key_in_use': coded(409, 'the first request under the Idempotency-Key is still running'),
  'v2.bad_expression': coded(400, 'the expression is no jq program'),
  'v2.expression_runtime': coded(500, 'the expression failed, or took longer than it may'),
  'v2.bad_body': coded(400, 'the body is not JSON, or too large for a script'),
  'v2.unauthenticated': coded(401, 'the endpoint asks for a credential', WANTS_BEARER),
  'v2.forbidden': coded(403, 'the endpoint or the action does not let this caller in'),
  'v2.endpoint_not_found': coded(404, 'no endpoint has this path'),
  'v2.endpoint_path_missing': coded(404, 'the path names no endpoint'),
  'v2.method_not_allowed': coded(405, 'the endpoint has another verb'),
  'v2.rate_limited': coded(429, 'too many requests'),
  'v2.script_error': coded(500, 'the script failed'),
  'v2.script_engine_missing': coded(500, 'this node runs no scripts'),
  'v2.bad_params': coded(400, 'the parameters do not fit the action'),
  'v2.action_not_found': coded(404, 'no such action'),
  'v2.action_method_not_allowed': coded(405, 'the action has no section for this verb'),
  'v2.action_failed': coded(500, 'the action failed and left nothing'),
  'v2.engine_unexpected_type': coded(500, 'the statement gave no rows and no count'),
  'v2.registry_unavailable': coded(500, 'the actions could not be loaded'),
  'v2.missing_name': coded(400, 'the path names no stateflow'),
  'v2.stateflow_not_found': coded(404, 'no such stateflow'),
  'v2.cache_clear_failed': coded(500, 'what was dropped could not be compiled again'),
  'v2.contentstore_list_failed': coded(500, 'the content stores could not be listed'),
  'v2.missing_entity': coded(400, 'the parameter entity is missing'),
  'v2.bad_format': coded(400, 'the format is not csv, json or jsonl, or the data is not in that format'),
  'v2.import_failed': coded(500, 'the import could not be completed'),
  'v2.download_needs_id': coded(400, 'a download is of one row: name its id in the path'),
  'v2.missing_field': coded(400, 'a download needs the parameter field'),
  'v2.field_not_file': coded(400, 'the field does not hold files'),
  'v2.field_not_found': coded(404, 'the entity has no such field'),
  'v2.field_empty': coded(404, 'the row has no file in this field'),
  'v2.file_downloader_unconfigured': coded(501, 'this node keeps no files'),
  'v2.range_not_satisfiable': coded(416, 'the range lies outside the file'),
  'v2.multipart_parse': coded(400, 'the body is no multipart body, or passes a bound'),
  'v2.multipart_empty': coded(400, 'the multipart body has no parts'),
  'v2.multipart_bad_payload': coded(400, 'a part does not fit the entity'),
  'v2.file_storage_unconfigured': coded(501, 'this node stores no files'),
  'v2.sign_invalid': coded(400, 'the body does not say which URL is wanted'),
  'v2.sign_forbidden': coded(
    403,
    'only users and service keys of this tenant sign URLs: no other caller can be authorized again when the URL is used',
  ),
  'v2.signed_url_invalid': coded(
    403,
    'the URL was not signed here, or was changed, or its key was replaced: ask for another',
  ),
  'v2.signed_url_over': coded(
    410,
    'the URL has ended: its time is up, its file was replaced or removed, or its signer may not read it any more',
  ),
  'v2.changes_not_declared': coded(501, 'the entity does not declare `changes: true`, so its changes are not kept'),
  'v2.changes_position_over': coded(
    410,
    'the position is older than the changes that are kept, or than the definitions: read the rows anew and go on from details.after',
  ),
  'v2.changes_full': coded(
    [429, 503],
    'the caller or the tenant (429) or the node (503) has as many subscribers as it may have',
  ),
  'v2.changes_group_not_found': coded(
    404,
    'the product declares no such consumer group; or it has no place that could be removed',
  ),
  'v2.changes_group_denied': coded(403, 'the consumer group is for other callers, or another caller has it'),
  'v2.changes_group_unplaced': coded(
    409,
    'nothing was acknowledged for the consumer group yet: POST /data/changes/groups/{name} first',
  ),
  'v2.channel_not_found': coded(
    404,
    'the product declares no such channel, or its key is that of no row which the caller may read',
  ),
  'v2.channel_denied': coded(
    403,
    'the declaration of the channel does not name this caller among those that join it, or that send to it',
  ),
  'v2.channel_member_not_found': coded(404, 'the caller has no such member in this channel'),
  'v2.channel_too_large': coded(413, 'the payload or the state has more bytes than the channel takes'),
  'v2.channel_rate': coded(
    429,
    'the caller or the channel has had as many joins, messages and changes of state as it may for now',
  ),
  'v2.channels_full': coded(
    [429, 503],
    'the caller, the channel or the tenant (429) or the node (503) has as many members as it may have',
  ),
  'v2.live_wants_websocket': coded(
    426,
    'the request is no handshake of a WebSocket (RFC 6455 §4.1), or the node serves by node:http, which has none: ask GET /data/changes or POST /data/graphql there, for server-sent events',
  ),
  'v2.graphql_wants_protocol': coded(
    400,
    'the handshake names no protocol that is spoken here: Sec-WebSocket-Protocol has graphql-transport-ws',
  ),
  ...adminRefusals,
  ...upkeepRefusals,
  'v2.engine_unavailable': coded([500, 503], 'the engine cannot answer now'),
});

export const refuse = refuserOf(refusals);

const ENGINE = 'v2.engine_unavailable';

/** 503: what was asked for may find room in a moment. */
export function busy(message: string = refusals[ENGINE].cause, headers = RETRY_SOON): Refusal<typeof ENGINE> {
  return refuse(ENGINE, { status: 503, message, headers });
}
