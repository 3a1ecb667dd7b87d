/** What a field takes, and which stateflows an entity has, in a few words. Pure. */
import type { Field, Machine } from '../data/shapes.ts';
import type { Words } from '../words/en.ts';

export function takes(field: Field, words: Words['schema']): string[] {
  const { required, nullable, read_only: isKept, enum: values, default: given, default_from: from, mask } = field;
  return [
    ...(required ? [words.required] : []),
    ...(isKept ? [words.readOnly] : []),
    ...(nullable ? [words.nullable] : []),
    ...(values === undefined ? [] : [values.join(' | ')]),
    ...(given === undefined ? [] : [`= ${JSON.stringify(given)}`]),
    ...(from === undefined ? [] : [`= ${from}`]),
    ...(mask === undefined ? [] : [words.masked]),
  ];
}

/** `ticket.state`, or the name of the entity alone where it has one. */
export const flowsOf = (machines: readonly Machine[], entity: string): readonly Machine[] =>
  machines.filter(({ name, entity: of }) => of === entity || name === entity || name.startsWith(`${entity}.`));
