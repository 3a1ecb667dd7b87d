/**
 * How long rows of an entity stay, and what becomes of them: `retention: {active, archive, archive_to, age_field, handoff}`.
 * Source: docs/contract/data-definitions.md §1.9, docs/contract/data-admin.md §5. What each phase makes of it: docs/decisions/admin-life.md UP-3.
 */
import { durationMs } from '#config/values/duration.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { takesNull } from '#config/values/constraint.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { ArchiveDefinition, EntityDefinition, FieldDefinition, RetentionDefinition } from './product.ts';
import { name } from './source.ts';
import type * as z from 'zod';

/** Kinds of compliance whose values must not outlive their purpose (docs/contract/data-admin.md §5). */
const PERSONAL: ReadonlySet<string> = new Set(['pii', 'phi', 'pci', 'gdpr']);

/** Replaces a text that may not be null; it has this length. */
export const ANONYMOUS_CHARS = 29;

export const retention = kit.entry({
  active: kit.duration().meta({ about: 'how long a row stays as it is' }),
  archive: kit
    .duration()
    .optional()
    .meta({ about: 'how long it stays afterwards, in its archive or anonymized; without it, for ever' }),
  archive_to: name
    .optional()
    .meta({ about: 'the archive of archives.yaml to which it goes; without it, it is anonymized' }),
  age_field: name.optional().meta({ about: 'the date by which a row ages; created_at unless set' }),
  handoff: kit
    .yesNo()
    .optional()
    .meta({ about: 'a worker elsewhere takes the rows; false is right for native archives alone' }),
});

/** The retention for the services. A remote archive is served by handoff, the native one never: `retentionProblems` checks this. */
export function retentionOf(raw: z.output<typeof retention>): RetentionDefinition {
  return {
    activeMs: durationMs(raw.active),
    archiveMs: raw.archive === undefined ? null : durationMs(raw.archive),
    archiveTo: raw.archive_to ?? null,
    ageField: raw.age_field ?? 'created_at',
    handoff: raw.handoff ?? null,
  };
}

/** Fields whose values are removed when a row is anonymized. */
export function personalFields({ fields }: EntityDefinition): string[] {
  return Object.entries(fields).flatMap(([field, { compliance }]) =>
    compliance !== undefined && PERSONAL.has(compliance) ? [field] : [],
  );
}

/** How a field's value is removed: by null, by its default, or by a neutral text; null when none of these is possible. */
export function anonymityOf(field: FieldDefinition): 'null' | 'default' | 'text' | null {
  if (takesNull(field)) return 'null';
  if (field.default !== undefined && field.unique !== true) return 'default';
  const { type, format, pattern, max_length: longest } = field;
  const isText = FIELD_TYPES[type].text === 'free';
  return isText && format === undefined && pattern === undefined && (longest ?? Infinity) >= ANONYMOUS_CHARS
    ? 'text'
    : null;
}

/** Every fault of an entity's retention. */
export function retentionProblems(
  entity: EntityDefinition,
  tree: Tree,
  archives: readonly ArchiveDefinition[],
): Problem[] {
  if (entity.retention === undefined) return [];
  const problems: Problem[] = [];
  const at: Path = ['entities', entity.name];
  const say = (path: Path, message: string, mend: string): void => {
    const full = [...at, ...path];
    problems.push(problemAt(tree.placeOf(full, 'value'), full, message, mend));
  };
  checkAge(entity, entity.retention, say);
  checkArchive(entity, entity.retention, archives, say);
  for (const field of personalFields(entity)) {
    if (field === 'id')
      say(['fields', 'id', 'compliance'], 'a key cannot be anonymized', 'choose a key that does not identify a person');
    else if (anonymityOf(entity.fields[field]!) === null)
      say(
        ['fields', field, 'compliance'],
        `${field} cannot be anonymized: it takes no null and has no default`,
        'add `nullable: true`, or a default',
      );
  }
  return problems;
}

type Say = (path: Path, message: string, mend: string) => void;

function checkAge({ fields, traits }: EntityDefinition, { ageField }: RetentionDefinition, say: Say): void {
  const path = ['retention', 'age_field'];
  const dated = Object.keys(fields).filter((field) => isDated(fields[field]!));
  const known = traits.includes('timestamps') ? [...dated, 'created_at', 'updated_at'] : dated;
  const field = Object.hasOwn(fields, ageField) ? fields[ageField] : undefined;
  if (!known.includes(ageField)) {
    const mend = known.length === 0 ? 'add the trait timestamps, or a datetime field' : suggestion(ageField, known);
    say(path, `rows have no age by "${ageField}", which is neither a date nor a datetime`, mend);
  } else if (field?.compliance !== undefined && PERSONAL.has(field.compliance))
    say(path, `"${ageField}" is anonymized itself`, 'choose another field, or drop its compliance');
}

const isDated = ({ type }: FieldDefinition): boolean => FIELD_TYPES[type].ofInstant !== null;

function checkArchive(
  { name: entity, fields }: EntityDefinition,
  { archiveTo, handoff }: RetentionDefinition,
  archives: readonly ArchiveDefinition[],
  say: Say,
): void {
  if (archiveTo === null) {
    if (handoff === true) say(['retention', 'handoff'], 'a handoff needs its archive', 'add `archive_to: <archive>`');
    return;
  }
  const archive = archives.find((other) => other.name === archiveTo);
  const names = archives.map((other) => other.name);
  if (archive === undefined) {
    const mend = names.length === 0 ? 'declare it in archives.yaml' : suggestion(archiveTo, names);
    say(['retention', 'archive_to'], `there is no archive "${archiveTo}"`, mend);
  } else if (archive.type === 'native' && handoff === true)
    say(['retention', 'handoff'], 'a native archive takes rows without a handoff', 'remove handoff');
  else if (archive.type !== 'native' && handoff === false)
    say(['retention', 'handoff'], `an archive of type ${archive.type} takes rows by handoff only`, 'remove handoff');
  else if (archive.type === 'native' && Object.hasOwn(fields, ARCHIVED_AT))
    say(
      ['retention', 'archive_to'],
      `${entity} has a field "${ARCHIVED_AT}", which archived rows have too`,
      'rename it',
    );
}

/** When a row came into its archive. */
export const ARCHIVED_AT = 'archived_at';
