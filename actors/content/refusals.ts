/** What a caller of the content service can be refused with (docs/contract/content.md §10; codes: docs/contract/common.md §3.1). */
import { coded, defineRefusals, refuserOf, WANTS_BEARER } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'content.unauthorized': coded(401, 'the credential is missing or does not count here', WANTS_BEARER),
  'content.forbidden': coded(403, 'no rule allows the operation'),
  'content.store_not_found': coded(404, 'no such content store, or it is not active'),
  'content.asset_not_found': coded(404, 'no such asset in this store, or no such version of it'),
  'content.folder_not_found': coded(404, 'no such folder'),
  'content.tag_not_found': coded(404, 'no such tag'),
  'content.app_not_found': coded(404, 'no such content app, or it is not active'),
  'content.type_not_found': coded(404, 'the app serves no such content type'),
  'content.document_not_found': coded(404, 'no such document, or it is not published'),
  'content.bad_query': coded(400, 'a parameter is unknown or has no meaning'),
  'content.bad_body': coded(400, 'the body is not what the route takes'),
  'content.invalid': coded(422, 'a value does not pass its checks'),
  'content.idempotency_key_invalid': coded(400, 'Idempotency-Key has not 1 to 255 visible characters'),
  'content.idempotency_key_reused': coded(422, 'the Idempotency-Key came with another request before'),
  'content.idempotency_key_in_use': coded(
    409,
    'the first request under the Idempotency-Key is still running, or its answer is lost',
  ),
  'content.conflict': coded(409, 'something else depends on it, or it was changed meanwhile'),
  'content.precondition_failed': coded(412, 'it has another version than If-Match names'),
  'content.too_large': coded(413, 'the file is larger than an asset may be'),
  'content.range_not_satisfiable': coded(416, 'the range lies outside the file'),
  'content.sign_forbidden': coded(
    403,
    'only users and service keys of this tenant sign URLs: no other caller can be authorized again when the URL is used',
  ),
  'content.signed_url_invalid': coded(
    403,
    'the URL was not signed here, or was changed, or its key was replaced: ask for another',
  ),
  'content.signed_url_over': coded(
    410,
    'the URL has ended: its time is up, its file was replaced or removed, or its signer may not read it any more',
  ),
  'content.delivery_not_found': coded(404, 'no such delivery of a webhook waits or is in the log'),
  'content.outbox_full': coded(409, 'too many deliveries of webhooks wait; retry when some have left'),
  'content.preview_unconfigured': coded(501, 'the app has no preview secret'),
  'content.preview_token_invalid': coded(401, 'the preview token has expired, or is none of this app and document'),
  'content.image_not_found': coded(404, 'the store declares no size of that name'),
  'content.image_unsupported': coded(
    422,
    'the asset is no JPEG, PNG, WebP or GIF, is damaged, or has too many bytes or pixels',
  ),
  'content.images_unavailable': coded(
    501,
    'the package sharp, which makes images in other sizes, is not installed beside skep',
  ),
  'content.upload_not_found': coded(404, 'no such upload of this caller, or its time is up: begin another'),
  'content.upload_invalid': coded(
    400,
    'a header of the upload is missing or has no meaning, or more bytes came than it has',
  ),
  'content.upload_version': coded(412, 'only version 1.0.0 of tus is spoken here', { 'Tus-Version': '1.0.0' }),
  'content.upload_offset': coded(409, 'the bytes do not go on where the upload ends: ask for its offset with HEAD'),
  'content.upload_type': coded(415, 'bytes of an upload come as application/offset+octet-stream'),
  'content.upload_busy': coded(423, 'another request sends bytes of this upload: try again when it has ended'),
  'content.upload_checksum': coded(460, 'the bytes are not those of the checksum: they were dropped, send them again'),
  'content.too_many_uploads': coded(
    429,
    'as many uploads as may be are under way: end some, or wait for their time to be up',
    RETRY_SOON,
  ),
  'content.backend_failed': coded(502, 'the storage behind the store does not answer as it should'),
  'content.failed': coded(500, 'an unexpected fault; it is in the log'),
  'content.unavailable': coded(
    503,
    'the service is busy: try again; or a rule of what is asked for does not compile',
    RETRY_SOON,
  ),
  'content.storage_full': coded(507, 'there is no room for it'),
});

export const refuse = refuserOf(refusals);
