/** What the data service keeps for a tenant that is awake. */
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { prepareProduct } from '#actors/host/served-product.ts';
import { tellFaults } from '#actors/host/part-faults.ts';
import { Work } from '#actors/host/work.ts';
import type { Definitions } from '#actors/host/definitions.ts';
import type { PartFault } from '#actors/kit/part-fault.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { FreshProduct, Jobs, LoadedProduct } from '#actors/kit/jobs.ts';
import type { Expressions } from '#actors/kit/jq/expressions.ts';
import { actionSteps, NO_ACTIONS, type Actions } from './action/registry.ts';
import { Endpoints } from './endpoint/endpoints.ts';
import type { BlobStore } from '#actors/engine/files/store.ts';
import { nameable, replaceModels, retire, type Models } from '#actors/engine/rows/models.ts';
import { modelSteps, viewSteps } from '#actors/engine/view/models.ts';
import { UnreadRows } from '#actors/engine/rows/unread.ts';
import { declarationSteps } from '#actors/engine/schema/declaration.ts';
import { runnerOf } from './materialize/runner.ts';
import { commitWhenRoom, inTurns } from '#actors/host/pace/own-turns.ts';
import { diffSteps, type SchemaDiff } from '#actors/engine/schema/diff.ts';
import { differenceOfSchema } from '#actors/engine/schema/difference.ts';
import { loadSchema, putRevision } from '#actors/engine/schema/store.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import type { StoredSchema } from '#actors/engine/schema/stored.ts';
import { guardFaults, hasScripts } from '#actors/engine/machines/machine.ts';

export const SERVICE = 'data';

/** What runs programs and scripts of callers; one per host. */
export interface Languages {
  readonly expressions: Expressions;
  readonly jobs: Jobs;
  /** Values that an answer of GraphQL may hold. */
  readonly graphqlCostMax: number;
}

export interface DataPart {
  readonly unread: UnreadRows;
  models: Models;
  /** Those of them that callers can name. */
  named: Models;
  /** Whether a write may cause a script: a stateflow has some. */
  scripted: boolean;
  readonly definitions: Definitions;
  readonly languages: Languages;
  readonly endpoints: Endpoints;
  /** Null where what compiles them could not be loaded. */
  actions: Actions | null;
  /** Where file fields keep their bytes; null where this node stores no files. */
  readonly files: BlobStore | null;
  /** Whether some entities were served in part from the tenant's waking on, since they do not compile. */
  readonly faulty: boolean;
  /** When unused files were last looked for. */
  sweptAtMs: number;
  /** Says once that the stored schema differs; null when it does not, or has been said. */
  difference: (() => void) | null;
  /** Holders of locks that are at work here: a tenant lives on one host, so every other holder is gone. */
  readonly holders: Set<string>;
}

export const DATA = new Part<DataPart>(SERVICE);

/**
 * Compiles the tenant's entities over its stored schema, in turns, which serving never changes: what is declared and not yet stored is
 * not served. That is said when the first request meets it, since a tenant that is being provisioned wakes so, too. What does not
 * compile takes itself along and nothing else (EntityModel), and the log says so with file, line and column.
 */
export async function wake(
  activation: Activation,
  languages: Languages,
  files: BlobStore | null,
  definitions: Definitions,
): Promise<void> {
  const work = new Work(activation);
  const turn = activation.store.begin();
  const schema = loadSchema(turn);
  turn.abort();
  const faults: PartFault[] = [];
  const models = await inTurns(work, modelSteps(activation.product, schema, faults));
  const difference = await differenceOf(work, schema);
  tellFaults(activation, SERVICE, faults, NOT_SERVED);
  const { context, position } = activation;
  for (const fault of guardFaults(activation.product))
    context.log.warn({ tenant: position.key, ...fault }, 'a guard does not compile');
  const unread = new UnreadRows(position.key, context);
  DATA.set(activation, {
    unread,
    definitions,
    languages,
    endpoints: new Endpoints(activation.product.endpoints ?? []),
    actions: NO_ACTIONS,
    scripted: hasScripts(activation.product),
    models: watched({ unread }, models),
    named: nameable(models),
    files,
    faulty: faults.length > 0,
    sweptAtMs: 0,
    difference,
    holders: new Set(),
  });
}

/** What is to be said when the first request meets a stored schema that differs; null where it does not, or no schema can be made. */
async function differenceOf(work: Work, schema: StoredSchema): Promise<(() => void) | null> {
  const { activation } = work;
  try {
    const diff = await inTurns(work, diffSteps(schema, activation.product));
    const differs = diff.steps.length > 0 || diff.conflicts.length > 0;
    return differs ? () => warn(activation, diff) : null;
  } catch (error) {
    if (error instanceof DefinitionError) return null; // a fault of an entity, which its model has told
    throw error;
  }
}

const NOT_SERVED =
  'a part of the product does not compile: it is not served, the rest of the tenant is; `skep check` names all such parts';

/**
 * Drops what can be made again: kept answers, documents, compiled entities, and with them what statements were compiled to over them
 * (action/section.ts). What was counted (rates, running keys) stays. The definitions themselves come in by plans and provisioning,
 * which check them.
 */
export async function renew(work: Work): Promise<void> {
  const { activation } = work;
  const part = partOf(activation);
  for (;;) {
    const { models } = part;
    const next = await renewed(work);
    if (part.models !== models) continue; // a plan has changed them meanwhile
    serve(part, next);
    part.endpoints.cache.clear();
    return;
  }
}

/** Models with empty caches. Where a definition does not compile any more nothing changes, unless the tenant woke with such faults. */
async function renewed(work: Work): Promise<Models> {
  const { activation } = work;
  const faults: PartFault[] = [];
  const next = await compiled(work, activation.product, faults);
  const [first] = faults;
  if (first !== undefined && !partOf(activation).faulty) throw new DefinitionError(first.where, first.reason);
  return next;
}

/** Models of a product over the stored schema as it is. */
function compiled(work: Work, product: ProductDefinition, faults: PartFault[] | null): Promise<Models> {
  const turn = work.activation.store.begin();
  const schema = loadSchema(turn);
  turn.abort();
  return inTurns(work, modelSteps(product, schema, faults));
}

/** Compiles the tenant's actions and checks its views, which takes a parser of its own: it is loaded where the first tenant has some. */
export async function wakeActions(activation: Activation, loadParser = loadSqlParser): Promise<void> {
  const part = partOf(activation);
  try {
    await loadParser();
  } catch (error) {
    activation.context.log.error(
      { err: error },
      'the SQL parser could not be loaded: actions and views are not served',
    );
    part.actions = null;
    return;
  }
  const faults: PartFault[] = [];
  part.actions = await inTurns(new Work(activation), actionSteps(activation.product, faults));
  await inTurns(new Work(activation), viewSteps(activation.product, faults));
  tellFaults(activation, `${SERVICE} actions`, faults, NOT_SERVED);
}

function watched(part: Pick<DataPart, 'unread'>, models: Models): Models {
  for (const model of models.values()) model.unread = part.unread;
  return models;
}

/** From this turn on requests are served from these models; the holders of replaced ones are notified. */
function serve(part: DataPart, models: Models): void {
  retire(part.models, models);
  part.models = watched(part, models);
  part.named = nameable(models);
}

/** The definitions of a kept revision, or as they are in the checkout now. Throws Busy when no thread is free to read a checkout. */
export function wishedProduct(activation: Activation, revision: string | undefined): Promise<LoadedProduct> {
  const { definitions } = partOf(activation);
  return revision === undefined ? definitions.fresh(activation) : definitions.kept(activation, revision);
}

interface Wished {
  /** The schema that they are to ask for (actors/engine/schema/declaration.ts). */
  readonly declared: string;
  readonly revision?: string;
}

/**
 * Serves the definitions of a kept revision, or as they are in the checkout now, over the stored schema as it is; the caller holds the lock under which
 * it changes. Null, or in words for people why that cannot be: they do not load, or ask for another schema than `declared` says.
 * Throws Busy when no thread is free to read them.
 */
export async function adopt(work: Work, { declared, revision }: Wished): Promise<string | null> {
  const { definitions } = partOf(work.activation);
  const fresh = await wishedProduct(work.activation, revision);
  if ('problems' in fresh) return fresh.problems;
  const { product } = fresh;
  try {
    if ((await inTurns(work, declarationSteps(product))) !== declared)
      return 'the definitions have changed since the plan was made: generate another';
    const ready = await readied(work, product);
    await keepRevision(work, fresh);
    await serveProduct(work, ready);
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
  definitions.adopted(work.activation, fresh);
  return null;
}

/** What the tenant wakes with from now on. Nothing is kept where no checkouts are read. */
export async function keepRevision(work: Work, { revision }: FreshProduct): Promise<void> {
  if (revision === null) return;
  putRevision(work.turn(), revision);
  await commitWhenRoom(work);
}

/** A product with what its tenant makes of it beside the entities, which take the stored schema. Nothing of it is served yet. */
export interface ReadyProduct {
  readonly product: ProductDefinition;
  readonly actions: Actions | null;
  readonly turnOthers: () => void;
}

/** Compiles what other definitions ask for, before anything is written or served. The parser of a product with actions is loaded. Throws DefinitionError. */
export async function readied(work: Work, product: ProductDefinition): Promise<ReadyProduct> {
  const { actions: served } = partOf(work.activation);
  const actions = served === null ? null : await inTurns(work, actionSteps(product));
  if (served !== null) await inTurns(work, viewSteps(product));
  return { product, actions, turnOthers: prepareProduct(work.activation, product) };
}

/**
 * Serves a product over the stored schema as it is: entities, machines, actions, endpoints, seeds, and what other services made of
 * it, all from one turn on. Throws DefinitionError, and serves on what it served.
 */
export async function serveProduct(work: Work, { product, actions, turnOthers }: ReadyProduct): Promise<void> {
  const part = partOf(work.activation);
  const models = await compiled(work, product, null);
  part.actions = actions;
  serve(part, models);
  turnOthers();
  part.endpoints.declare(product.endpoints ?? []);
  part.scripted = hasScripts(product);
  part.difference = null;
}

/** Serves entities over a schema that has changed: in the turn whose commit changed it. */
export function servedAnew(activation: Activation, schema: StoredSchema, entities: readonly string[]): void {
  const part = partOf(activation);
  part.models = watched(part, replaceModels(part.models, activation.product, schema, entities));
  part.named = nameable(part.models);
  runnerOf(activation).kick(); // a materialized field may be new
}

function warn({ context, position }: Activation, diff: SchemaDiff): void {
  const { entities, ...told } = differenceOfSchema(diff);
  context.log.warn(
    { tenant: position.key, ...told },
    `the stored schema differs from the definitions of ${entities}: the tenant is served as it is stored, until it is provisioned or a plan is applied`,
  );
}

export function partOf(activation: Activation): DataPart {
  return DATA.of(activation);
}

/** The models that a request meets: all that callers can name. */
export function servedModels(activation: Activation): Models {
  const part = partOf(activation);
  if (part.difference !== null) {
    part.difference();
    part.difference = null;
  }
  return part.named;
}
