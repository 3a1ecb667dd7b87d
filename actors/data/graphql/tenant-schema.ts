/** The schemas of a tenant, one for each set of rights, with their documents; they live as long as its activation. */
import { printSchema } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { TokenCache } from '#actors/kit/token/cache.ts';
import { limits } from '#config/limits.ts';
import type { Visible } from '../documents/visible.ts';
import type { Models } from '../entity/models.ts';
import { PreparedDocuments } from './prepared.ts';
import { buildSchema } from './schema.ts';

export interface TenantSchema {
  readonly schema: GraphQLSchema;
  readonly documents: PreparedDocuments;
}

const kept = new WeakMap<Models, TokenCache<TenantSchema>>();

export function schemaFor(models: Models, visible: Visible): TenantSchema {
  let schemas = kept.get(models);
  if (schemas === undefined) kept.set(models, (schemas = new TokenCache(limits.graphql.schemasKept)));
  let schema = schemas.get(visible.signature);
  if (schema === undefined) {
    schema = { schema: buildSchema(visible), documents: new PreparedDocuments() };
    schemas.set(visible.signature, schema);
  }
  return schema;
}

/** The schema in the schema definition language. */
export function sdlOf(models: Models, visible: Visible): string {
  return `${printSchema(schemaFor(models, visible).schema)}\n`;
}
