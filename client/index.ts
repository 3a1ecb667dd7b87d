/** What `@skep/client` exports. */
export type { ActionResult, EndpointOptions } from './behaviour.ts';
export { bff } from './bff.ts';
export type { BffOptions, BffResult } from './bff.ts';
export { bulk } from './bulk.ts';
export type { Bulk, BulkFormat, ExportQuery, ImportOptions, ImportResult, RowError } from './bulk.ts';
export { content } from './content.ts';
export type { Content, Document, DocumentOptions, DocumentPage, DocumentQuery } from './content.ts';
export { channel } from './channel.ts';
export type { Channel, JoinOptions, Member, Told } from './channel.ts';
export { createClient } from './create-client.ts';
export type { Auth, Client, ClientOptions, Place, Position } from './create-client.ts';
export type { Change } from './change.ts';
export { versionOf } from './entity.ts';
export type { ChangeOptions, ChangesQuery, DeleteOptions, Entity, Page, WriteOptions } from './entity.ts';
export { isSkepError, SkepError } from './errors.ts';
export type { ClientCode, DetailsOf, ErrorOf, SkepCode } from './errors.ts';
export type { ServerCode } from './codes.ts';
export { files } from './files.ts';
export type { Asset, AssetPage, AssetQuery, DownloadOptions, Files, SignOptions } from './files.ts';
export { submitForm } from './forms.ts';
export type { Submission, SubmitOptions } from './forms.ts';
export type { TokenSource } from './given-token.ts';
export type { Password } from './login.ts';
export type { ListQuery, SingleQuery } from './query.ts';
export type {
  AnySchema,
  Create,
  EntityName,
  EntityTypes,
  Field,
  Row,
  RowWith,
  SchemaTypes,
  Update,
  Where,
} from './schema.ts';
export { offlineQueue } from './offline.ts';
export type { OfflineOptions } from './offline.ts';
export type { OfflineQueue } from './queue.ts';
export type { Bounds, Entry, NewEntry } from './queue-entry.ts';
export type { QueueStore } from './queue-store.ts';
export type { QueuedEntity, QueuedWrite, Written } from './queued-write.ts';
export { logInWithPasskey, prove, registerPasskey } from './passkeys.ts';
export type { Passkey, PasskeyLogin, PasskeyRegistration } from './passkeys.ts';
export { shareChanges } from './share.ts';
export type { ShareOptions } from './share.ts';
export { beginSignIn, finishSignIn } from './sign-in.ts';
export type { SignInOptions } from './sign-in.ts';
export { stateflow } from './stateflow.ts';
export type { FireOptions, FlowView, Stateflow } from './stateflow.ts';
export type { TokenStorage } from './tokens.ts';
export type { Answer, Ask, RetryOptions, Sender, Transport } from './transport.ts';
export type { UploadOptions } from './upload.ts';
