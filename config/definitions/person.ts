/**
 * Whose rows those of an entity are, and what becomes of them when that person is erased: `person: {field, holds, on_erasure}`.
 * Source: docs/contract/privacy.md §1. Nothing is guessed: an entity without it has no rows of a person.
 */
import type * as z from 'zod';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { EntityDefinition, PersonDefinition } from './product.ts';
import { anonymityOf, personalFields } from './retention.ts';
import { name } from './source.ts';

/** What becomes of a person's rows. */
const ON_ERASURE = ['delete', 'anonymize', 'keep'] as const;

export const person = kit.entry({
  field: name.meta({ about: 'the field that names the person' }),
  holds: kit.oneOf(['id', 'email']).optional().meta({ about: 'what it holds of the user; id unless set' }),
  on_erasure: kit.oneOf(ON_ERASURE).meta({ about: 'what becomes of the rows when the person is erased' }),
});

/** What a content store says of the persons who upload its assets. */
export const uploader = kit.entry({
  on_erasure: kit.oneOf(ON_ERASURE).meta({ about: 'what becomes of the assets of a person who is erased' }),
});

export function personOf(raw: z.output<typeof person>): PersonDefinition {
  return { field: raw.field, holds: raw.holds ?? 'id', onErasure: raw.on_erasure };
}

/** Fields whose values go when a row is anonymized: the one that names the person, and those that are personal by their compliance. */
export function fieldsOfPerson(entity: EntityDefinition): string[] {
  const { person: declared } = entity;
  return declared === undefined ? [] : [...new Set([declared.field, ...personalFields(entity)])];
}

/** Every fault of an entity's `person`. */
export function personProblems(entity: EntityDefinition, tree: Tree): Problem[] {
  const { person: declared, fields } = entity;
  if (declared === undefined) return [];
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    const full = ['entities', entity.name, ...path];
    problems.push(problemAt(tree.placeOf(full, 'value'), full, message, mend));
  };
  const at = ['person', 'field'];
  const field = Object.hasOwn(fields, declared.field) ? fields[declared.field] : undefined;
  if (field === undefined) {
    say(at, `there is no field "${declared.field}"`, suggestion(declared.field, Object.keys(fields)));
    return problems;
  }
  if (declared.field === 'id') say(at, 'a key cannot name the person', 'add a field that holds the user’s id');
  else if (FIELD_TYPES[field.type].text === null)
    say(at, `"${declared.field}" is no text, and ids and addresses are`, 'make it a string');
  else if (!isFound(entity, declared.field))
    say(at, `rows are not found by "${declared.field}": it has no index`, 'add `index: true` to the field');
  if (declared.onErasure !== 'anonymize') return problems;
  for (const one of fieldsOfPerson(entity))
    if (one !== 'id' && anonymityOf(fields[one]!) === null)
      say(
        ['fields', one],
        `${one} cannot be anonymized: it takes no null and has no default`,
        'add `nullable: true`, or a default, or choose another on_erasure',
      );
  return problems;
}

function isFound({ fields, index, unique }: EntityDefinition, field: string): boolean {
  const { index: own, unique: alone } = fields[field]!;
  return own === true || alone === true || [...index, ...unique].some(([first]) => first === field);
}
