/** What the data service keeps for a tenant that is awake. */
import type { Activation } from '#actors/host/activation.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import type { Expressions } from '#actors/kit/jq/expressions.ts';
import { compileActions, NO_ACTIONS } from './action/registry.ts';
import type { Actions } from './action/registry.ts';
import { Endpoints } from './endpoint/endpoints.ts';
import type { BlobStore } from './file/store.ts';
import { compileModels } from './entity/models.ts';
import type { Models } from './entity/models.ts';
import { diffSchema } from './schema/diff.ts';
import type { SchemaDiff } from './schema/diff.ts';
import { loadSchema } from './schema/store.ts';
import { loadSqlParser } from './sql/load.ts';
import { guardFaults, hasScripts } from './stateflow/machine.ts';

export const SERVICE = 'data';

/** What runs programs and scripts of callers; one per host. */
export interface Languages {
  readonly expressions: Expressions;
  readonly jobs: Jobs;
}

export interface DataPart {
  models: Models;
  /** Whether a write may cause a script: a stateflow has some. */
  readonly scripted: boolean;
  readonly languages: Languages;
  readonly endpoints: Endpoints;
  /** Null where what compiles them could not be loaded. */
  actions: Actions | null;
  /** Where file fields keep their bytes; null where nobody stores files. */
  readonly files: BlobStore | null;
  /** When unused files were last looked for. */
  sweptAtMs: number;
  /** Says once that the stored schema differs; null when it does not, or has been said. */
  difference: (() => void) | null;
  /** Idempotency keys whose first attempt has not ended (idempotency/replay.ts). */
  readonly running: Set<string>;
}

/**
 * Compiles the tenant's entities over its stored schema, which serving never changes: what is declared and not yet stored is
 * not served. That is said when the first request meets it, since a tenant that is being provisioned wakes so, too. Throws
 * DefinitionError naming file, line and column.
 */
export function wake(activation: Activation, languages: Languages, files: BlobStore | null): DataPart {
  const turn = activation.store.begin();
  const schema = loadSchema(turn);
  turn.abort();
  const diff = diffSchema(schema, activation.product);
  const differs = diff.steps.length > 0 || diff.conflicts.length > 0;
  for (const fault of guardFaults(activation.product))
    activation.context.log.warn({ tenant: activation.position.key, fault }, 'a guard does not compile');
  return {
    languages,
    endpoints: new Endpoints(activation.product.endpoints ?? []),
    actions: NO_ACTIONS,
    scripted: hasScripts(activation.product),
    models: compileModels(activation.product, schema),
    files,
    sweptAtMs: 0,
    difference: differs ? () => warn(activation, diff) : null,
    running: new Set(),
  };
}

/**
 * Drops what can be made again: kept answers, documents, compiled entities. What was counted (rates, running keys) stays. The
 * definitions themselves come in by provisioning, which checks them, and not by a request.
 */
export function renew(activation: Activation): void {
  const part = partOf(activation);
  const turn = activation.store.begin();
  const schema = loadSchema(turn);
  turn.abort();
  part.models = compileModels(activation.product, schema);
  part.endpoints.cache.clear();
  if (part.actions !== null) part.actions = compileActions(activation.product, part.models);
}

/**
 * Compiles the tenant's actions, which takes a parser of its own: it is loaded where the first tenant has some. Throws
 * DefinitionError for a statement that cannot be run.
 */
export async function wakeActions(activation: Activation, loadParser = loadSqlParser): Promise<void> {
  const part = partOf(activation);
  try {
    await loadParser();
  } catch (error) {
    activation.context.log.error({ err: error }, 'the SQL parser could not be loaded: actions are not served');
    part.actions = null;
    return;
  }
  part.actions = compileActions(activation.product, part.models);
}

function warn({ context, position }: Activation, { steps, conflicts }: SchemaDiff): void {
  const fields = { tenant: position.key, missing: steps.length, conflicts: conflicts.map((c) => c.message) };
  context.log.warn(fields, 'the stored schema differs from the definitions: provision the tenant');
}

export function partOf(activation: Activation): DataPart {
  return activation.parts.get(SERVICE) as DataPart;
}

/** The models that a request meets. */
export function servedModels(activation: Activation): Models {
  const part = partOf(activation);
  if (part.difference !== null) {
    part.difference();
    part.difference = null;
  }
  return part.models;
}
