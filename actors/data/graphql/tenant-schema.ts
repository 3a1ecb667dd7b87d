/** The schemas of a tenant, one for each set of rights, with their documents; they live as long as its activation. */
import { isIntrospectionType, isSpecifiedScalarType, printType, type GraphQLSchema } from 'graphql';
import { TokenCache } from '#actors/kit/token/cache.ts';
import { makeInSlices, type Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';
import type { Seen } from '../documents/handlers.ts';
import type { Visible } from '../documents/visible.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { PreparedDocuments } from './prepared.ts';
import { schemaSteps } from './schema.ts';

export interface TenantSchema {
  readonly schema: GraphQLSchema;
  readonly documents: PreparedDocuments;
}

type Schemas = TokenCache<TenantSchema | Promise<TenantSchema>>;

const kept = new WeakMap<Models, Schemas>();

/** The schema, built by the first request for it. Those that waited go on one after the other, since each has work of its own then. */
export async function schemaFor({ models, session, visible }: Seen): Promise<TenantSchema> {
  let schemas = kept.get(models);
  if (schemas === undefined) kept.set(models, (schemas = new TokenCache(limits.graphql.schemasKept)));
  const known = schemas.get(visible.signature);
  if (known !== undefined && !(known instanceof Promise)) return known;
  const made = await (known ?? begin(schemas, session, visible));
  await session.yieldTurn();
  return made;
}

function begin(schemas: Schemas, session: Session, visible: Visible): Promise<TenantSchema> {
  const making = makeInSlices(session, schemaSteps(visible), limits.graphql.sliceEntities);
  const built = making.then((schema) => {
    const made: TenantSchema = { schema, documents: new PreparedDocuments() };
    schemas.set(visible.signature, made);
    return made;
  });
  schemas.set(visible.signature, built);
  return built;
}

/** The schema in the schema definition language, as the library's printSchema writes it, in slices. */
export async function sdlOf(seen: Seen): Promise<string> {
  const { schema } = await schemaFor(seen);
  return makeInSlices(seen.session, sdlSteps(schema), limits.graphql.sliceTypes);
}

function* sdlSteps(schema: GraphQLSchema): Steps<string> {
  const parts: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (isSpecifiedScalarType(type) || isIntrospectionType(type)) continue;
    parts.push(printType(type));
    yield;
  }
  return `${parts.join('\n\n')}\n`;
}
