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
  'v2.missing_entity': { statuses: [400], family: 'coded', cause: 'the parameter entity is missing' },
  'v2.bad_format': {
    statuses: [400],
    family: 'coded',
    cause: 'the format must be csv, json or jsonl, and the data in it',
  },
  'v2.import_failed': { statuses: [500], family: 'coded', cause: 'the import could not go on' },
  'v2.download_needs_id': {
    statuses: [400],
    family: 'coded',
    cause: 'a download is of one row: name its id in the path',
  },
  'v2.missing_field': { statuses: [400], family: 'coded', cause: 'a download needs the parameter field' },
  'v2.field_not_file': { statuses: [400], family: 'coded', cause: 'the field does not hold files' },
  'v2.field_not_found': { statuses: [404], family: 'coded', cause: 'the entity has no such field' },
  'v2.field_empty': { statuses: [404], family: 'coded', cause: 'the row has no file in this field' },
  'v2.file_downloader_unconfigured': { statuses: [501], family: 'coded', cause: 'this node keeps no files' },
  'v2.range_not_satisfiable': { statuses: [416], family: 'coded', cause: 'the range lies outside the file' },
  'v2.multipart_parse': { statuses: [400], family: 'coded', cause: 'the body is no multipart body, or passes a bound' },
  'v2.multipart_empty': { statuses: [400], family: 'coded', cause: 'the multipart body has no parts' },
  'v2.multipart_bad_payload': { statuses: [400], family: 'coded', cause: 'a part does not fit the entity' },
  'v2.file_storage_unconfigured': { statuses: [501], family: 'coded', cause: 'this node stores no files' },
  'v2.engine_unavailable': { statuses: [500, 503], family: 'coded', cause: 'the engine cannot answer now' },
});

export const refuse = refuserOf(refusals);
