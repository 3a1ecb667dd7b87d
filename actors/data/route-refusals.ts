/** Lists of refusals that several routes of the data service share, or that are long (docs/contract/data.md §4). */
import { PASSED } from './script/refused.ts';

/** Enveloped routes take `?expression=`. */
export const expressed = ['v2.bad_expression', 'v2.expression_runtime'] as const;

/** Of routes that take an Idempotency-Key. */
export const once = ['v2.idempotency_key_invalid', 'v2.idempotency_key_reused', 'v2.idempotency_key_in_use'] as const;

/** The same where the row changes something: a read-only impersonation is 403. */
export const changed = [...once, 'v2.forbidden'] as const;

/** Of routes that change the rows that a filter finds. */
export const counted = ['v2.count_invalid', 'v2.count_differs'] as const;

/** Codes of failed rows stand in `errors[].extensions.code`; where the request itself fails its status says so. */
export const graphqlRefusals = [
  'unauthorized',
  'v2.no_tenant',
  'v2.engine_unavailable',
  'v2.bad_json',
  'v2.graphql_invalid',
  'v2.graphql_too_complex',
  'v2.changes_position_over',
  'v2.changes_full',
  'v2.query_failed',
] as const;

export const everywhere = ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.bad_path'] as const;

/** Of routes that take the parts of a multipart body, files among them. */
export const inParts = [
  'v2.multipart_parse',
  'v2.multipart_empty',
  'v2.multipart_bad_payload',
  'v2.file_storage_unconfigured',
] as const;

export const created = [
  ...everywhere,
  ...expressed,
  ...changed,
  'v2.bad_json',
  'v2.entity_not_found',
  'v2.create_failed',
  ...inParts,
] as const;

/** Of routes that look for the file of one field. */
export const ofFile = [
  ...everywhere,
  'v2.entity_not_found',
  'v2.row_not_found',
  'v2.query_failed',
  'v2.missing_field',
  'v2.field_not_file',
  'v2.field_not_found',
  'v2.field_empty',
  'v2.file_downloader_unconfigured',
] as const;

export const acted = [
  ...everywhere,
  ...expressed,
  'v2.bad_params',
  'v2.forbidden',
  'v2.action_not_found',
  'v2.action_method_not_allowed',
  'v2.action_failed',
  'v2.engine_unexpected_type',
] as const;

export const bulk = [
  'unauthorized',
  'v2.no_tenant',
  'v2.engine_unavailable',
  'v2.missing_entity',
  'v2.bad_format',
  'v2.entity_not_found',
  'v2.query_failed',
] as const;

/** Of scripted endpoints; the last ones are answered only where an endpoint says `refusals: pass`. */
export const scriptedRefusals = [
  'unauthorized',
  'v2.no_tenant',
  'v2.engine_unavailable',
  ...once,
  'v2.bad_body',
  'v2.unauthenticated',
  'v2.endpoint_not_found',
  'v2.method_not_allowed',
  'v2.rate_limited',
  'v2.script_error',
  'v2.script_engine_missing',
  ...PASSED,
] as const;
