/** What a caller of the data service can be refused with (data.md "Errors", "Endpoints"). */
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';

export const refusals = defineRefusals({
  unauthorized: { statuses: [401], family: 'plain', cause: 'Unauthorized' },
  'v2.bad_path': { statuses: [400], family: 'coded', cause: 'the path names no entity or no id' },
  'v2.bad_json': { statuses: [400], family: 'coded', cause: 'the body is not a JSON object' },
  'v2.missing_id': { statuses: [400], family: 'coded', cause: 'the body does not hold the primary key' },
  'v2.id_mismatch': { statuses: [422], family: 'coded', cause: 'the key in the body differs from the id in the path' },
  'v2.no_tenant': { statuses: [403], family: 'coded', cause: 'no tenant is active at this position' },
  'v2.entity_not_found': { statuses: [404], family: 'coded', cause: 'no such entity' },
  'v2.row_not_found': { statuses: [404], family: 'coded', cause: 'no such row, or it is deleted' },
  'v2.query_failed': { statuses: [422, 403, 404, 500], family: 'coded', cause: 'the query could not be answered' },
  'v2.create_failed': { statuses: [422, 403, 404, 500], family: 'coded', cause: 'the row was not created' },
  'v2.update_failed': { statuses: [422, 403, 404, 500], family: 'coded', cause: 'the row was not updated' },
  'v2.delete_failed': { statuses: [422, 403, 404, 500], family: 'coded', cause: 'the row was not deleted' },
  'v2.search_body_parse_failed': { statuses: [400], family: 'coded', cause: 'the body is not {filter: {…}}' },
  'v2.search_text_not_supported': { statuses: [501], family: 'coded', cause: 'there is no search by text' },
  'v2.search_dsl_not_supported': { statuses: [501], family: 'coded', cause: 'there is no search by expression' },
  'v2.search_query_failed': {
    statuses: [422, 403, 404, 500],
    family: 'coded',
    cause: 'the query could not be answered',
  },
  'v2.graphql_invalid': {
    statuses: [400],
    family: 'coded',
    cause: 'the GraphQL document does not parse, fit the schema or take these variables (in errors[].extensions.code)',
  },
  'v2.graphql_too_complex': {
    statuses: [400],
    family: 'coded',
    cause: 'the GraphQL document passes a bound of size, depth, aliases or cost (in errors[].extensions.code)',
  },
  'v2.restore_failed': { statuses: [422, 403, 404, 500], family: 'coded', cause: 'the row was not restored' },
  'v2.precondition_failed': {
    statuses: [412],
    family: 'coded',
    cause: 'the row has another version than If-Match names',
  },
  'v2.body_read': { statuses: [400], family: 'coded', cause: 'the body cannot be read as text' },
  'v2.empty_envelope': { statuses: [400], family: 'coded', cause: 'the envelope holds no operations' },
  'v2.bulk_failed': { statuses: [422], family: 'coded', cause: 'an operation failed and everything was rolled back' },
  'v2.idempotency_key_invalid': {
    statuses: [400],
    family: 'coded',
    cause: 'Idempotency-Key has not 1 to 255 visible characters',
  },
  'v2.idempotency_key_reused': {
    statuses: [422],
    family: 'coded',
    cause: 'the Idempotency-Key came with another request before',
  },
  'v2.idempotency_key_in_use': {
    statuses: [409],
    family: 'coded',
    cause: 'the first request under the Idempotency-Key is still running',
  },
  'v2.bad_expression': { statuses: [400], family: 'coded', cause: 'the expression is no jq program' },
  'v2.expression_runtime': {
    statuses: [500],
    family: 'coded',
    cause: 'the expression failed, or took longer than it may',
  },
  'v2.bad_body': { statuses: [400], family: 'coded', cause: 'the body is not JSON, or too large for a script' },
  'v2.unauthenticated': { statuses: [401], family: 'coded', cause: 'the endpoint asks for a credential' },
  'v2.forbidden': { statuses: [403], family: 'coded', cause: 'the endpoint does not let this caller in' },
  'v2.endpoint_not_found': { statuses: [404], family: 'coded', cause: 'no endpoint has this path' },
  'v2.endpoint_path_missing': { statuses: [404], family: 'coded', cause: 'the path names no endpoint' },
  'v2.method_not_allowed': { statuses: [405], family: 'coded', cause: 'the endpoint has another verb' },
  'v2.rate_limited': { statuses: [429], family: 'coded', cause: 'too many requests' },
  'v2.script_error': { statuses: [500], family: 'coded', cause: 'the script failed' },
  'v2.script_engine_missing': { statuses: [500], family: 'coded', cause: 'this node runs no scripts' },
  'v2.engine_unavailable': { statuses: [500, 503], family: 'coded', cause: 'the engine cannot answer now' },
});

export const refuse = refuserOf(refusals);
