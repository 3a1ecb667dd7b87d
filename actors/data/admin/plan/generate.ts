/** Makes a plan of what is declared now and what is stored: steps that are kept and can be applied (docs/contract/data-admin.md §3.1). */
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { FreshProduct } from '#actors/kit/jobs.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import { Refused } from '#actors/kit/refused.ts';
import { declarationSteps } from '#actors/engine/schema/declaration.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { wishedProduct } from '../../part.ts';
import { refuse } from '../../refusals.ts';
import type { Change } from '#actors/engine/schema/change.ts';
import { changeSteps, type Changes } from '#actors/engine/schema/changes.ts';
import { settled } from '#actors/engine/schema/alter.ts';
import { isConvertible } from '#actors/engine/schema/convert.ts';
import { findRevision, loadSchema } from '#actors/engine/schema/store.ts';
import type { StoredSchema } from '#actors/engine/schema/stored.ts';
import { describe, highest, rankOf } from './describe.ts';
import { checksumOf, fingerprintOf, type PlanRecord, type StepRecord } from './ledger.ts';
import { misfitsOf } from './misfits.ts';
import { commitTurn, inTurns } from '#actors/host/pace/own-turns.ts';
import { putPlan, putStep } from './store.ts';

export interface PlanWish {
  readonly allowDrops: boolean;
  readonly trigger: PlanRecord['Trigger'];
  readonly triggeredBy: string;
  /** A revision that the node keeps; absent: the checkout as it is now. */
  readonly revision?: string;
}

export interface Plan {
  readonly plan: PlanRecord;
  readonly steps: readonly StepRecord[];
  readonly warnings: readonly string[];
  readonly refusals: readonly string[];
}

/** The definitions make no schema; the message, for people, names file, line and column. */
const badDefinitions = (message: string): Refused => new Refused(refuse('v2.definitions_invalid', { message }));

/** Makes a plan and keeps it; changes nothing else. Throws the refusal `v2.definitions_invalid`. */
export async function generatePlan(work: Work, wish: PlanWish): Promise<Plan> {
  const fresh = await freshProduct(work, wish.revision);
  const { product } = fresh;
  if (wish.revision !== undefined) refuseOther(work.activation.product.name, product.name);
  const schema = storedSchema(work);
  const { changes, impossible } = await declaredChanges(work, schema, product);
  const refusals = impossible.map(({ entity, name, why }) => `${entity}.${name}: ${why}`);
  const kept = await keptOf(work, schema, changes, wish, refusals);
  const declared = await inTurns(work, declarationSteps(product));
  const plan = await inTurns(work, planSteps(work, { schema, changes: kept, wish, product, declared }));
  await commitTurn(work, (turn) => {
    putPlan(turn, plan.plan);
    for (const step of plan.steps) putStep(turn, step);
  });
  return {
    ...plan,
    warnings: [...(wish.revision === undefined ? pending(work, fresh) : []), ...warningsOf(kept, schema, product)],
    refusals,
  };
}

/** A warning where the checkout has another revision than the tenant serves: its rules and programs may differ, which no step shows. */
function pending({ activation: { store } }: Work, { revision }: FreshProduct): string[] {
  const turn = store.begin();
  const served = findRevision(turn);
  turn.abort();
  if (revision === null || served === undefined || served === revision) return [];
  const what = `${PENDING} ${revision.slice(0, 12)}, the tenant serves ${served.slice(0, 12)}`;
  return [`${what}: applying this plan serves the checkout as it is then`];
}

const PENDING = 'the checkout is revision';

/** Whether a warning says no more than that the definitions have changed. */
export const saysChanged = (warning: string): boolean => warning.startsWith(PENDING);

async function freshProduct({ activation }: Work, revision: string | undefined): Promise<FreshProduct> {
  const fresh = await wishedProduct(activation, revision);
  if ('problems' in fresh) throw badDefinitions(fresh.problems);
  return fresh;
}

/** A folder that was taken for another product's would drop everything that the tenant has. */
function refuseOther(served: string, sent: string): void {
  if (served !== sent)
    throw badDefinitions(
      `the revision is of the product ${sent}, and the tenant serves ${served}: its name changes by skep tenant provision alone`,
    );
}

function storedSchema(work: Work): StoredSchema {
  const turn = work.activation.store.begin();
  const schema = settled(loadSchema(turn));
  work.saw(turn.newest);
  turn.abort();
  return schema;
}

async function declaredChanges(work: Work, schema: StoredSchema, product: ProductDefinition): Promise<Changes> {
  try {
    return await inTurns(work, changeSteps(schema, product));
  } catch (error) {
    if (error instanceof DefinitionError) throw badDefinitions(error.message);
    throw error;
  }
}

const DROPS: ReadonlySet<Change['op']> = new Set(['drop_index', 'drop_text', 'drop_field', 'drop_entity']);

/** The changes that can be made, in the order of their steps; why each other one cannot is added to `refusals`. */
async function keptOf(
  work: Work,
  schema: StoredSchema,
  changes: readonly Change[],
  { allowDrops }: PlanWish,
  refusals: string[],
): Promise<Change[]> {
  const filled = new Set(changes.flatMap((one) => (one.op === 'fill_field' ? `${one.entity}.${one.field}` : [])));
  const refused = new Set<string>();
  const kept: Change[] = [];
  for (const change of changes) {
    const why = await whyNot(work, schema, change, allowDrops, filled);
    if (why === null) kept.push(change);
    else {
      refusals.push(why);
      if ('field' in change && typeof change.field === 'string') refused.add(`${change.entity}.${change.field}`);
      if (change.op === 'add_field') refused.add(`${change.entity}.${change.field.name}`);
    }
  }
  const possible = kept.filter((change) => !restsOn(change, refused));
  for (const change of kept)
    if (restsOn(change, refused)) refusals.push(`${describe(change).SQL}: needs a change that is refused`);
  const retyped = new Set(changes.flatMap((one) => (one.op === 'retype_field' ? `${one.entity}.${one.field}` : [])));
  return possible.toSorted((a, b) => rankOf(a, retyped) - rankOf(b, retyped));
}

/** Whether a change needs one that is refused: an index over that field, of its words too, a fill for that constraint. */
function restsOn(change: Change, refused: ReadonlySet<string>): boolean {
  if (change.op === 'add_index') return change.fields.some((field) => refused.has(`${change.entity}.${field}`));
  if (change.op === 'add_text') return change.text.fields.some((field) => refused.has(`${change.entity}.${field}`));
  return change.op === 'fill_field' && refused.has(`${change.entity}.${change.field}`);
}

async function whyNot(
  work: Work,
  schema: StoredSchema,
  change: Change,
  allowDrops: boolean,
  filled: ReadonlySet<string>,
): Promise<string | null> {
  if (DROPS.has(change.op)) return allowDrops ? null : `${describe(change).SQL}: drops need allow_drops`;
  if (change.op === 'retype_field' && !isConvertible(change.from, change.to))
    return `${change.entity}.${change.field}: ${change.from} cannot become ${change.to}`;
  const isFilled = change.op === 'alter_field' && filled.has(`${change.entity}.${change.field}`);
  const misfits = await misfitsOf(work, schema, change, isFilled);
  return misfits === null ? null : `${describe(change).SQL}: ${misfits}`;
}

function warningsOf(changes: readonly Change[], schema: StoredSchema, product: ProductDefinition): string[] {
  return changes.flatMap((change) => {
    const { entity } = change;
    if (change.op === 'add_index' && change.unique && !change.fresh)
      return `${describe(change).Identifier}: the step fails where rows share a value of (${change.fields.join(', ')})`;
    if (change.op !== 'retype_field') return [];
    const words: string[] = [];
    const indexes = schema.entities.find(({ name }) => name === entity)?.indexes ?? [];
    if (indexes.some(({ unique, fields }) => unique && fields.includes(change.field)))
      words.push(`${entity}.${change.field}: its values are not kept unique until its index is rebuilt`);
    if (product.entities[entity]?.traits.includes('versioned') === true)
      words.push(`${entity}.${change.field}: old versions of rows show null in it`);
    return words;
  });
}

interface PlanParts {
  readonly schema: StoredSchema;
  readonly changes: readonly Change[];
  readonly wish: PlanWish;
  readonly product: ProductDefinition;
  readonly declared: string;
}

/** The plan and its steps, made one at a time. */
function* planSteps(
  work: Work,
  { schema, changes, wish, product, declared }: PlanParts,
): Steps<{ readonly plan: PlanRecord; readonly steps: readonly StepRecord[] }> {
  const { ids, clock } = work.activation.context;
  const CreatedOn = timestamp(clock.now());
  const PlanID = ids.next();
  const steps: StepRecord[] = [];
  for (const change of changes) {
    steps.push(stepOf(change, steps.length + 1, PlanID, ids.next(), CreatedOn, product));
    yield;
  }
  const plan: PlanRecord = {
    ID: ids.next(),
    PlanID,
    Source: 'yaml',
    Status: 'generated',
    Trigger: wish.trigger,
    TriggeredBy: wish.triggeredBy,
    MaxRisk: highest(steps.map(({ Risk: risk }) => risk)),
    StartedAt: null,
    FinishedAt: null,
    AppliedCount: 0,
    FailedCount: 0,
    TotalSteps: steps.length,
    Notes: '',
    CreatedOn,
    schema: fingerprintOf(schema),
    declared,
    ...(wish.revision !== undefined && { revision: wish.revision }),
  };
  return { plan, steps };
}

function stepOf(
  change: Change,
  StepOrder: number,
  PlanID: string,
  ID: string,
  CreatedOn: string,
  product: ProductDefinition,
): StepRecord {
  const { Expected, ...described } = describe(change);
  return {
    ID,
    PlanID,
    StepOrder,
    ...described,
    ExpectedResult: Expected,
    Checksum: checksumOf(StepOrder, { ...described, Expected }, change),
    Status: 'pending',
    StartedAt: null,
    FinishedAt: null,
    DurationMs: 0,
    Error: '',
    Attempt: 0,
    SourceURI: sourceOf(product, change.entity),
    CreatedOn,
    change,
  };
}

/** File, line and column within the checkout; '' for what is no longer declared. */
function sourceOf({ entities }: ProductDefinition, entity: string): string {
  const where = Object.hasOwn(entities, entity) ? entities[entity]!.where : '';
  return where.split('/').slice(-2).join('/');
}
