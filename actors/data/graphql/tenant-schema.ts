/** The schemas of a tenant, one for each set of rights, with their documents; they live as long as its activation. */
import { isIntrospectionType, isSpecifiedScalarType, printType } from 'graphql';
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

/** Lets other turns of the thread run. */
export type Breathe = () => Promise<void>;

const kept = new WeakMap<Models, TokenCache<Promise<TenantSchema>>>();

/** The schema, built by the first who wants it. */
export function schemaFor(models: Models, visible: Visible, breathe: Breathe): Promise<TenantSchema> {
  let schemas = kept.get(models);
  if (schemas === undefined) kept.set(models, (schemas = new TokenCache(limits.graphql.schemasKept)));
  let schema = schemas.get(visible.signature);
  if (schema === undefined) {
    schema = buildSchema(visible, breathe).then((built) => ({ schema: built, documents: new PreparedDocuments() }));
    schemas.set(visible.signature, schema);
  }
  return schema;
}

/** The schema in the schema definition language, as the library's printSchema writes it, in slices. */
export async function sdlOf(models: Models, visible: Visible, breathe: Breathe): Promise<string> {
  const { schema } = await schemaFor(models, visible, breathe);
  const parts: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (isSpecifiedScalarType(type) || isIntrospectionType(type)) continue;
    parts.push(printType(type));
    if (parts.length % limits.graphql.sliceTypes === 0) await breathe();
  }
  return `${parts.join('\n\n')}\n`;
}
