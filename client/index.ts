/** What `@skep/client` exports. */
export type { ActionResult, EndpointOptions } from './behaviour.ts';
export { createClient } from './create-client.ts';
export type { Auth, Client, ClientOptions, Place, Position } from './create-client.ts';
export type { Change } from './changes.ts';
export { versionOf } from './entity.ts';
export type { ChangeOptions, ChangesQuery, DeleteOptions, Entity, Page, WriteOptions } from './entity.ts';
export { isSkepError, SkepError } from './errors.ts';
export type { ClientCode, DetailsOf, ErrorOf, SkepCode } from './errors.ts';
export type { ServerCode } from './codes.ts';
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
export type { TokenStorage } from './tokens.ts';
export type { RetryOptions } from './transport.ts';
