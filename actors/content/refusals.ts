/** What a caller of the content service can be refused with (docs/contract/content.md §10; codes: docs/contract/common.md §3.1). */
import { defineRefusals, refuserOf, WANTS_BEARER } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'content.unauthorized': {
    statuses: [401],
    family: 'coded',
    cause: 'the credential is missing or does not count here',
    headers: WANTS_BEARER,
  },
  'content.forbidden': { statuses: [403], family: 'coded', cause: 'no rule allows the operation' },
  'content.store_not_found': { statuses: [404], family: 'coded', cause: 'no such content store, or it is not active' },
  'content.asset_not_found': {
    statuses: [404],
    family: 'coded',
    cause: 'no such asset in this store, or no such version of it',
  },
  'content.folder_not_found': { statuses: [404], family: 'coded', cause: 'no such folder' },
  'content.tag_not_found': { statuses: [404], family: 'coded', cause: 'no such tag' },
  'content.app_not_found': { statuses: [404], family: 'coded', cause: 'no such content app, or it is not active' },
  'content.type_not_found': { statuses: [404], family: 'coded', cause: 'the app serves no such content type' },
  'content.document_not_found': { statuses: [404], family: 'coded', cause: 'no such document, or it is not published' },
  'content.bad_query': { statuses: [400], family: 'coded', cause: 'a parameter is unknown or has no meaning' },
  'content.bad_body': { statuses: [400], family: 'coded', cause: 'the body is not what the route takes' },
  'content.invalid': { statuses: [422], family: 'coded', cause: 'a value does not pass its checks' },
  'content.idempotency_key_invalid': {
    statuses: [400],
    family: 'coded',
    cause: 'Idempotency-Key has not 1 to 255 visible characters',
  },
  'content.idempotency_key_reused': {
    statuses: [422],
    family: 'coded',
    cause: 'the Idempotency-Key came with another request before',
  },
  'content.idempotency_key_in_use': {
    statuses: [409],
    family: 'coded',
    cause: 'the first request under the Idempotency-Key is still running, or its answer is lost',
  },
  'content.conflict': {
    statuses: [409],
    family: 'coded',
    cause: 'something else depends on it, or it was changed meanwhile',
  },
  'content.precondition_failed': {
    statuses: [412],
    family: 'coded',
    cause: 'it has another version than If-Match names',
  },
  'content.too_large': { statuses: [413], family: 'coded', cause: 'the file is larger than an asset may be' },
  'content.range_not_satisfiable': { statuses: [416], family: 'coded', cause: 'the range lies outside the file' },
  'content.sign_forbidden': {
    statuses: [403],
    family: 'coded',
    cause:
      'only users and service keys of this tenant sign URLs: no other caller can be authorized again when the URL is used',
  },
  'content.signed_url_invalid': {
    statuses: [403],
    family: 'coded',
    cause: 'the URL was not signed here, or was changed, or its key was replaced: ask for another',
  },
  'content.signed_url_over': {
    statuses: [410],
    family: 'coded',
    cause:
      'the URL has ended: its time is up, its file was replaced or removed, or its signer may not read it any more',
  },
  'content.preview_unconfigured': { statuses: [501], family: 'coded', cause: 'the app has no preview secret' },
  'content.preview_token_invalid': {
    statuses: [401],
    family: 'coded',
    cause: 'the preview token has expired, or is none of this app and document',
  },
  'content.image_not_found': { statuses: [404], family: 'coded', cause: 'the store declares no size of that name' },
  'content.image_unsupported': {
    statuses: [422],
    family: 'coded',
    cause: 'the asset is no JPEG, PNG, WebP or GIF, is damaged, or has too many bytes or pixels',
  },
  'content.images_unavailable': {
    statuses: [501],
    family: 'coded',
    cause: 'the package sharp, which makes images in other sizes, is not installed beside skep',
  },
  'content.upload_not_found': {
    statuses: [404],
    family: 'coded',
    cause: 'no such upload of this caller, or its time is up: begin another',
  },
  'content.upload_invalid': {
    statuses: [400],
    family: 'coded',
    cause: 'a header of the upload is missing or has no meaning, or more bytes came than it has',
  },
  'content.upload_version': {
    statuses: [412],
    family: 'coded',
    cause: 'only version 1.0.0 of tus is spoken here',
    headers: { 'Tus-Version': '1.0.0' },
  },
  'content.upload_offset': {
    statuses: [409],
    family: 'coded',
    cause: 'the bytes do not go on where the upload ends: ask for its offset with HEAD',
  },
  'content.upload_type': {
    statuses: [415],
    family: 'coded',
    cause: 'bytes of an upload come as application/offset+octet-stream',
  },
  'content.upload_busy': {
    statuses: [423],
    family: 'coded',
    cause: 'another request sends bytes of this upload: try again when it has ended',
  },
  'content.upload_checksum': {
    statuses: [460],
    family: 'coded',
    cause: 'the bytes are not those of the checksum: they were dropped, send them again',
  },
  'content.too_many_uploads': {
    statuses: [429],
    family: 'coded',
    cause: 'as many uploads as may be are under way: end some, or wait for their time to be up',
    headers: RETRY_SOON,
  },
  'content.backend_failed': {
    statuses: [502],
    family: 'coded',
    cause: 'the storage behind the store does not answer as it should',
  },
  'content.failed': { statuses: [500], family: 'coded', cause: 'an unexpected fault; it is in the log' },
  'content.unavailable': {
    statuses: [503],
    family: 'coded',
    cause: 'the service is busy: try again; or a rule of what is asked for does not compile',
    headers: RETRY_SOON,
  },
  'content.storage_full': { statuses: [507], family: 'coded', cause: 'there is no room for it' },
});

export const refuse = refuserOf(refusals);
