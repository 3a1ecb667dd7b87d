/** What was typed into a form as values of its fields, and what is no value at all. Pure. */
import type { Field } from '../data/shapes.ts';
import { valueOf } from '../data/value.ts';

/** By the name of the field; those that were not typed into are absent. */
export type Texts = Readonly<Record<string, string>>;

export function typedValues(fields: readonly Field[], typed: Texts, badJson: string) {
  const values: Record<string, unknown> = {};
  const faults: Record<string, readonly string[]> = {};
  for (const field of fields) {
    const text = typed[field.name];
    if (text === undefined) continue;
    try {
      values[field.name] = valueOf(text, field);
    } catch (error) {
      faults[field.name] = [`${badJson} ${(error as Error).message}`];
    }
  }
  return { values, faults };
}
