/** GET /data/schema and what lies under it: a tenant's schema as JSON, SDL and OpenAPI (docs/contract/data.md §8.1). */
import type { Call } from '#actors/host/call.ts';
import { renderedAs, type Rendered } from '#actors/protocol/body.ts';
import { reply, replyJson, type Outcome, type Reply, type RouteTable } from '#actors/protocol/route.ts';
import { makeInSlices, type Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { NO_ACTIONS } from '../action/registry.ts';
import { partOf, servedModels } from '../part.ts';
import { refuse } from '../refusals.ts';
import { sessionOf } from '../rest/session.ts';
import type { Routes } from '../routes.ts';
import type { EntityDocument } from '../shapes.ts';
import { sectionsFor, signatureOfSections } from './action-rows.ts';
import { offeredTo, signatureOf } from './endpoint-rows.ts';
import { describeEntity, entityLine } from './describe-entity.ts';
import { documentOf, headersOf, isKnown, type KeptDocument } from './kept.ts';
import { tenantOpenApi } from './openapi.ts';
import { visibleTo, type Visible } from './visible.ts';

/** What a request sees of its tenant. */
export interface Seen {
  readonly models: Models;
  readonly session: Session;
  readonly visible: Visible;
}

export function seenBy(call: Call): Seen {
  const models = servedModels(call.activation);
  const session = sessionOf(call);
  return { models, session, visible: visibleTo(session, models) };
}

/** A JSON document, made once for all callers who see the same. */
async function document<T>(
  call: Call,
  kind: string,
  make: (seen: Seen) => T | Promise<T>,
): Promise<Reply<200, T> | Reply<304, undefined>> {
  const seen = seenBy(call);
  const text = async (): Promise<string> => JSON.stringify(await make(seen));
  const kept = await documentOf(seen.models, `${kind} ${seen.visible.signature}`, text);
  return isKnown(call, kept)
    ? reply(304, undefined, headersOf(kept))
    : replyJson(200, renderKept<T>(kept), headersOf(kept));
}

/** The cast holds, since this key's text was made for this document. */
function renderKept<T>({ text }: KeptDocument): Rendered<T> {
  return renderedAs(text);
}

/** All entities, whole. */
export function schema(call: Call): Promise<Outcome<Routes['schema']>> {
  return document(call, 'schema', async ({ visible, session }) => {
    const entities = await makeInSlices(session, describeAll(visible), limits.data.documentSliceEntities);
    return { product: call.activation.product.name, entities, count: entities.length };
  });
}

function* describeAll(visible: Visible): Steps<readonly EntityDocument[]> {
  const entities: EntityDocument[] = [];
  for (const entity of visible.entities.values()) {
    entities.push(describeEntity(visible, entity));
    yield;
  }
  return entities;
}

/** The names of the entities and what may be done with them. */
export function entities(call: Call): Promise<Outcome<Routes['schema_entities']>> {
  return document(call, 'entities', ({ visible }) => {
    const lines = [...visible.entities.values()].map(entityLine);
    return { entities: lines, count: lines.length };
  });
}

/** One entity; 404 for an unknown one, and for one that the caller may not see. */
export async function entity(call: Call): Promise<Outcome<Routes['schema_entity']>> {
  const name = call.param('entity');
  if (name === '') return refuse('v2.bad_path');
  const found = seenBy(call).visible.entities.get(name);
  if (found === undefined) return refuse('v2.entity_not_found', { message: `no entity ${name}` });
  return document(call, `entity ${name}`, ({ visible }) => describeEntity(visible, found));
}

/** The tenant's OpenAPI document, made of the given rows. */
export function openApi(call: Call, routes: RouteTable): Promise<Outcome<Routes['schema_openapi']>> {
  const { position, product } = call.activation;
  const endpoints = offeredTo(call.principal, product.endpoints);
  const sections = sectionsFor(sessionOf(call), partOf(call.activation).actions ?? NO_ACTIONS);
  const described = { position, product: product.name, endpoints, sections };
  return document(call, `openapi ${signatureOf(endpoints)} ${signatureOfSections(sections)}`, ({ visible, session }) =>
    makeInSlices(session, tenantOpenApi(routes, visible, described), limits.data.documentSliceEntities),
  );
}
