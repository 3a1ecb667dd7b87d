/** …/retention/runs, preview, archives, entities (docs/contract/data-admin.md §5). */
import { formatDuration } from '#config/values/duration.ts';
import type { EntityDefinition } from '#config/definitions/product.ts';
import { personalFields } from '#config/definitions/retention.ts';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { DEFAULT_DATASTORE } from '#actors/engine/rows/parameters.ts';
import { servedModels } from '../../part.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import { operationOf } from '../lock/guard.ts';
import { lockedOut } from '../lock/refused.ts';
import { readBody } from '../read-body.ts';
import type { UpkeepRows } from '../upkeep-routes.ts';
import * as shapes from '../upkeep-shapes.ts';
import { PHASES, policiesOf, type Policy } from './policy.ts';
import { RetentionRun, type Counters, type RetentionWish } from './run.ts';

const HOUR_MS = 3_600_000;

export async function retentionRun(call: Call): Promise<Outcome<UpkeepRows['retention_run']>> {
  const body = readBody(call, shapes.retentionRun);
  if (isRefusal(body)) return body;
  const policies = chosen(call, body.entities ?? []);
  if (isRefusal(policies)) return policies;
  const { batchRows, passRows } = limits.retention;
  const wish: RetentionWish = {
    policies,
    phases: PHASES.filter(
      (phase) => body.phases === undefined || body.phases.length === 0 || body.phases.includes(phase),
    ),
    batchRows: body.batch_size ?? batchRows,
    passRows: body.max_rows_per_pass ?? passRows,
    graceMs: Math.max(0, body.grace_hours ?? 0) * HOUR_MS,
  };
  const planId = call.activation.context.ids.next();
  if (body.dry_run === true) return reply(200, await dryRun(call, wish, planId));
  const operation = operationOf('retention', DEFAULT_DATASTORE, planId);
  const counters = await lockedOut(call, operation, (guard) => new RetentionRun(call, wish, guard).apply());
  if (isRefusal(counters)) return counters;
  const report = { plan_id: planId, dry_run: false, ...totals(counters), entities: counters };
  return reply(report.total_failed > 0 ? 207 : 200, report);
}

/** Counts only: it writes nothing, and so takes no lock. */
async function dryRun(call: Call, wish: RetentionWish, planId: string) {
  const eligible = await new RetentionRun(call, wish).count();
  const entities = wish.policies.map(({ model }) => ({
    Entity: model.name,
    Anonymized: 0,
    Archived: 0,
    ArchiveDeleted: 0,
    Purged: 0,
    FKBlocked: 0,
    Errors: 0,
  }));
  return { plan_id: planId, dry_run: true, total_applied: 0, total_failed: 0, entities, eligible };
}

function totals(counters: readonly Counters[]) {
  let total_applied = 0;
  let total_failed = 0;
  for (const { Anonymized, Archived, ArchiveDeleted, Purged, Errors } of counters) {
    total_applied += Anonymized + Archived + ArchiveDeleted + Purged;
    total_failed += Errors;
  }
  return { total_applied, total_failed };
}

/** The policies of some entities, of all where none is named; 404 for one that has no retention. */
function chosen(call: Call, names: readonly string[]): readonly Policy[] | Refusal<'v2.entity_not_found'> {
  const { activation } = call;
  const all = policiesOf(activation.product, servedModels(activation));
  for (const name of names)
    if (!all.some(({ model }) => model.name === name))
      return refuse('v2.entity_not_found', { message: `no entity ${shown(name)} with a retention` });
  return names.length === 0 ? all : all.filter(({ model }) => names.includes(model.name));
}

export async function preview(call: Call): Promise<Outcome<UpkeepRows['retention_preview']>> {
  const entity = call.query.get('entity') ?? '';
  const policies = chosen(call, entity === '' ? [] : [entity]);
  if (isRefusal(policies)) return policies;
  const wish = { policies, phases: PHASES, batchRows: limits.retention.sliceRowsMax, passRows: 0, graceMs: 0 };
  const eligible = await new RetentionRun(call, wish).count();
  return reply(200, { ...placeOf(call), plan_id: call.activation.context.ids.next(), eligible });
}

export function archives(call: Call): Outcome<UpkeepRows['retention_archives']> {
  return reply(200, { ...placeOf(call), archives: call.activation.product.archives ?? [] });
}

export function entities(call: Call): Outcome<UpkeepRows['retention_entities']> {
  const all = Object.values(call.activation.product.entities).filter(
    ({ archiveOf, pairsOf }) => archiveOf === undefined && pairsOf === undefined,
  );
  return reply(200, { ...placeOf(call), entities: all.map(described) });
}

function described(entity: EntityDefinition) {
  const { name, retention } = entity;
  const head = { entity: name, table_name: name, pii_fields: personalFields(entity) };
  if (retention === undefined) return { ...head, retention: {} };
  const { activeMs, archiveMs, archiveTo, ageField } = retention;
  return {
    ...head,
    retention: {
      active: formatDuration(activeMs),
      ...(archiveMs !== null && { archive: formatDuration(archiveMs) }),
      ...(archiveTo !== null && { archive_to: archiveTo }),
      age_field: ageField,
    },
  };
}
