/** The steps of a plan in words for people: what each does, and what it loses or rewrites. For `skep dev` and `skep deploy`. Pure. */
import type { PlannedStep } from '#actors/data/admin/plan/shapes.ts';

export type Step = Pick<PlannedStep, 'Order' | 'SchemaOp' | 'Entity' | 'Identifier' | 'Risk' | 'Notes'>;
export type Level = Step['Risk'];

/** How a step is named on a command line: `drop_column:ticket.note`, `drop_table:ticket`. The same for the same change in every plan. */
export function nameOf({ SchemaOp: op, Entity: entity, Identifier: identifier }: Step): string {
  return `${op}:${entity === identifier ? entity : `${entity}.${identifier}`}`;
}

const placeOf = ({ Entity: entity, Identifier: identifier }: Step): string =>
  entity === identifier ? entity : `${entity}.${identifier}`;

interface Words {
  readonly does: (step: Step) => string;
  /** What it loses or rewrites; null where it does neither. */
  readonly harm: ((step: Step) => string) | null;
}

const WORDS: Readonly<Record<string, Words>> = {
  create_table: { does: ({ Entity }) => `a new entity ${Entity}`, harm: null },
  add_column: { does: (step) => `a new field ${placeOf(step)}`, harm: null },
  alter_column: { does: (step) => `other constraints of ${placeOf(step)}`, harm: null },
  create_index: { does: ({ Identifier }) => `a new index ${Identifier}`, harm: null },
  create_unique_index: { does: ({ Identifier }) => `a new unique index ${Identifier}`, harm: null },
  fill_column: {
    does: (step) => `the default of ${placeOf(step)} in rows that hold null`,
    harm: (step) => `it rewrites rows of ${step.Entity}: those that hold null in ${step.Identifier} take the default`,
  },
  alter_column_type: {
    does: (step) => `another type of ${placeOf(step)}`,
    harm: (step) => `it rewrites each row of ${step.Entity} (${step.Notes})`,
  },
  drop_index: {
    does: ({ Identifier }) => `the index ${Identifier} is dropped`,
    harm: ({ Identifier }) => `it loses the index ${Identifier}, and the uniqueness that it may keep`,
  },
  drop_column: {
    does: (step) => `the field ${placeOf(step)} is dropped`,
    harm: (step) => `it loses every value of ${placeOf(step)}`,
  },
  drop_table: {
    does: ({ Entity }) => `the entity ${Entity} is dropped`,
    harm: ({ Entity }) => `it loses every row of ${Entity}`,
  },
};

/** A kind of step that this table does not know is never taken for a harmless one. */
const UNKNOWN: Words = {
  does: ({ SchemaOp }) => `a step of the kind ${SchemaOp}`,
  harm: () => 'this version of skep does not know what such a step does: use the version of the node',
};

const wordsOf = ({ SchemaOp: op }: Step): Words => (Object.hasOwn(WORDS, op) ? WORDS[op]! : UNKNOWN);

/** What a step does, in a few words. */
export const deedOf = (step: Step): string => wordsOf(step).does(step);

/** What a step loses or rewrites; null where it may be taken unasked. */
export function harmOf(step: Step): string | null {
  const { harm } = wordsOf(step);
  return harm === null ? null : harm(step);
}

/** Whether a step removes what is stored and not declared any more: without it the plan's other steps can be taken all the same. */
export const isDrop = ({ SchemaOp: op }: Step): boolean => op.startsWith('drop_');

/** The highest risk that can be confirmed so that no step is taken that loses or rewrites something: no such step has the risk `low`. */
export function safeLevel(steps: readonly Step[]): Level {
  return steps.some((step) => step.Risk === 'medium' && harmOf(step) !== null) ? 'low' : 'medium';
}
