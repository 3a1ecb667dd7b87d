/** What retention means for each entity that has it: cut-offs, archive, personal fields. Source: docs/decisions/admin-life.md UP-3. */
import { hash } from 'node:crypto';
import type { ArchiveDefinition, ProductDefinition, RetentionDefinition } from '#config/definitions/product.ts';
import { ANONYMOUS_CHARS, anonymityOf, personalFields } from '#config/definitions/retention.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Slots } from '#actors/engine/rows/codec.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import type { Predicate } from '#actors/engine/rows/query.ts';

export const PHASES = ['anonymize', 'archive', 'archive_delete', 'purge'] as const;
export type Phase = (typeof PHASES)[number];

export interface Policy {
  readonly model: EntityModel;
  readonly retention: RetentionDefinition;
  /** The entity that a native archive copies rows to; null without one. */
  readonly companion: EntityModel | null;
  /** The archive elsewhere, by handoff; null without one. */
  readonly elsewhere: ArchiveDefinition | null;
  readonly personal: readonly Personal[];
}

/** A field that is anonymized, and its value from then on. */
export interface Personal {
  readonly column: Column;
  readonly valueFor: (slots: Slots) => unknown;
}

/** Policies of the entities that are provisioned. An entity comes before those that it refers to: deletions then meet fewer references. */
export function policiesOf(product: ProductDefinition, models: Models): Policy[] {
  const policies: Policy[] = [];
  const met = new Set<EntityModel>();
  const visit = (model: EntityModel): void => {
    if (met.has(model)) return;
    met.add(model);
    for (const { from } of model.referencedBy) visit(from);
    const policy = policyOf(product, models, model);
    if (policy !== null) policies.push(policy);
  };
  for (const model of models.values()) visit(model);
  return policies;
}

function policyOf(product: ProductDefinition, models: Models, model: EntityModel): Policy | null {
  const { retention } = model.definition;
  if (retention === undefined || model.column(retention.ageField) === undefined) return null;
  const archive = product.archives?.find(({ name }) => name === retention.archiveTo) ?? null;
  const isNative = archive?.type === 'native';
  const companion = isNative ? (models.get(model.name + archive.suffix) ?? null) : null;
  // An archive that is not provisioned yet takes no row, so none may be deleted either.
  if (isNative && companion === null) return null;
  return { model, retention, companion, elsewhere: isNative ? null : archive, personal: personalOf(model) };
}

/** The given fields that are stored, and what replaces their values. */
export function personalOf(model: EntityModel, fields = personalFields(model.definition)): Personal[] {
  return fields.flatMap((name) => {
    const column = model.column(name);
    const check = model.check.fields.find((field) => field.name === name);
    if (column === undefined || check === undefined) return [];
    const way = anonymityOf(model.definition.fields[name]!);
    const fixed = way === 'default' ? check.default : null;
    return [{ column, valueFor: way === 'text' ? (slots) => anonymousText(model, name, slots) : () => fixed }];
  });
}

/** The same text for the same row, so that a second run changes nothing; another for each row, since the field may be unique. Locales of a document share theirs. */
function anonymousText({ name, key, shared }: EntityModel, field: string, slots: Slots): string {
  const at = shared?.names.includes(field) === true ? shared.byAt : key.at;
  const digest = hash('sha256', `${name}\0${String(slots[at])}`, 'hex');
  return `anon-${digest}`.slice(0, ANONYMOUS_CHARS);
}

/** The entity whose rows a phase looks at; null where it has nothing to do. */
export function tableOf(
  { model, companion, elsewhere, personal, retention }: Policy,
  phase: Phase,
): EntityModel | null {
  const isArchived = companion !== null || elsewhere !== null;
  if (phase === 'anonymize') return personal.length > 0 ? model : null;
  if (phase === 'archive' || phase === 'archive_delete') return isArchived ? model : null;
  if (!isArchived) return model;
  return retention.archiveMs === null ? null : companion;
}

/** Rows that are old enough for a phase. */
export function dueFor({ model, retention }: Policy, phase: Phase, nowMs: number, graceMs: number): Predicate {
  const after = phase === 'purge' ? (retention.archiveMs ?? 0) : 0;
  const cutoff = new Date(Math.max(0, nowMs - retention.activeMs - after - graceMs));
  const { name, type } = model.column(retention.ageField)!;
  const text = timestamp(cutoff.getTime());
  const { of, ofInstant } = FIELD_TYPES[type];
  const value = ofInstant === null ? of(text) : ofInstant(text);
  return { kind: 'predicate', field: name, op: 'lte', value };
}
