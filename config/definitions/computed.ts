/** Fields that are computed where they are shown, and not stored: `computed: {language: cel, rule}`. Source: docs/contract/data-definitions.md §1.13. */
import type { Path } from '../problem.ts';
import { FIELD_TYPES, typesWhere, type FieldType } from '#config/values/field-types.ts';
import { limits } from '../limits.ts';
import { mapOf } from '../tree.ts';
import type { ComputedDefinition, RuleDefinition } from './product.ts';

const TYPES = typesWhere(({ isParameter }) => isParameter);

interface Written {
  readonly type: FieldType;
  readonly computed?: { readonly language: 'cel'; readonly rule: string } | undefined;
}

/** Fields as written: those that are stored, and those that are computed. `where` gives the place of a path below the fields. */
export function splitComputed<F extends Written>(
  fields: Readonly<Record<string, F>>,
  where: (path: Path) => string,
): { stored: [string, Omit<F, 'computed'>][]; computed: Readonly<Record<string, ComputedDefinition>> } {
  const stored = Object.entries(fields).flatMap(
    ([name, { computed: rule, ...field }]): [string, Omit<F, 'computed'>][] =>
      rule === undefined ? [[name, field]] : [],
  );
  const computed = Object.entries(fields).flatMap(
    ([name, { type, computed: rule }]): [string, ComputedDefinition][] => {
      if (rule === undefined) return [];
      const placed: RuleDefinition = { ...rule, where: where([name, 'computed', 'rule']) };
      return [[name, { type, ...placed }]];
    },
  );
  return { stored, computed: mapOf(computed) };
}

type Fault = { readonly path: Path; readonly message: string; readonly mend: string };

/** Faults of the computed fields of one entity, by paths below its fields: what they do not take, and too many of them. */
export function computedFaults(fields: Readonly<Record<string, Written>>): Fault[] {
  const named = Object.entries(fields).filter(([, { computed }]) => computed !== undefined);
  const faults = named.flatMap(([name, field]) => faultsOf(name, field));
  const most = limits.data.computedFieldsMax;
  const [first] = named;
  if (named.length > most && first !== undefined)
    faults.push({
      path: [first[0], 'computed'],
      message: `${named.length} fields are computed`,
      mend: `leave at most ${most}`,
    });
  return faults;
}

function faultsOf(name: string, field: Written): Fault[] {
  const { type } = field;
  if (name === 'id') return [{ path: [name, 'computed'], message: 'the key is stored', mend: 'remove `computed`' }];
  const others = Object.entries(field).filter(
    ([key, value]) => value !== undefined && key !== 'type' && key !== 'computed',
  );
  const out = others.map(([key]): Fault => {
    return {
      path: [name, key],
      message: `a computed field takes no ${key}`,
      mend: 'remove it: nothing of it is stored or written',
    };
  });
  if (!TYPES.includes(type) || FIELD_TYPES[type].order === null)
    out.push({
      path: [name, 'type'],
      message: `a computed field cannot be of type ${type}`,
      mend: `choose one of ${TYPES.filter((one) => FIELD_TYPES[one].order !== null).join(', ')}`,
    });
  return out;
}
