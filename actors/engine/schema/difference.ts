/** How a stored schema differs from its definitions, in words for a log line. */
import type { SchemaDiff, SchemaStep } from './diff.ts';

/** How many differences of each kind one log line names. */
const NAMED_MAX = 20;

export interface Difference {
  /** The entities that differ. */
  readonly entities: string;
  /** Declared and not stored: entities, `entity.field`, indexes. */
  readonly missing: readonly string[];
  /** Differences that only a plan can resolve. */
  readonly conflicts: readonly string[];
  /** The number of both, named or not. */
  readonly differences: number;
}

export function differenceOfSchema({ steps, conflicts }: SchemaDiff): Difference {
  const names = [...new Set([...steps, ...conflicts].map(({ entity }) => entity))];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} others` : '';
  return {
    entities: names.slice(0, NAMED_MAX).join(', ') + more,
    missing: steps.slice(0, NAMED_MAX).map(nameOf),
    conflicts: conflicts.slice(0, NAMED_MAX).map(({ message }) => message),
    differences: steps.length + conflicts.length,
  };
}

function nameOf(step: SchemaStep): string {
  if (step.kind === 'add_entity') return step.entity;
  if (step.kind === 'add_field') return `${step.entity}.${step.field}`;
  if (step.kind === 'add_text') return `search ${step.entity}(${step.text.fields.join(', ')})`;
  return `${step.index.unique ? 'unique' : 'index'} ${step.entity}(${step.index.fields.join(', ')})`;
}
