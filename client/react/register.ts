/** The schema of the page, which it names once for all hooks. Nothing here is there at run time. */
import type { AnySchema, SchemaTypes } from '../schema.ts';

/**
 * `declare module '@skep/client/react' { interface Register { schema: Schema } }`: then every hook knows the entities and fields of that schema. What
 * is said in channels no definition has: `channels: { ticket: { state: { typing: boolean }; payload: { saved: true } } }` beside it.
 */
export interface Register {}

/** What `Register` names; without it every name is a text and every field unknown. */
export type RegisteredSchema = Register extends { readonly schema: infer S extends SchemaTypes } ? S : AnySchema;
