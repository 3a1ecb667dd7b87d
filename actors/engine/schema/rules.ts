/** The constraints of a field in the stored schema: those that every stored row meets. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import { takesNull } from '#config/values/constraint.ts';

const KEYS = [
  'type',
  'required',
  'nullable',
  'default',
  'min',
  'max',
  'min_length',
  'max_length',
  'pattern',
  'format',
  'enum',
  'ref',
] as const satisfies readonly (keyof FieldDefinition)[];

/** The part of a field's definition that constrains its values: no masks, compliance or indexes. */
export type FieldRules = Pick<FieldDefinition, (typeof KEYS)[number]>;

export function rulesOf(definition: FieldDefinition): FieldRules {
  const given = KEYS.filter((key) => definition[key] !== undefined).map((key) => [key, definition[key]] as const);
  return Object.fromEntries(given) as unknown as FieldRules;
}

export const sameRules = (a: FieldRules, b: FieldRules): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The constraints that are new or tighter, in words; empty where every old value still fits. */
export function narrowing(old: FieldRules, now: FieldRules): string[] {
  const words: string[] = [];
  if (takesNull(old) && !takesNull(now)) words.push('takes no null');
  if (isTighter(now.min, old.min, 1)) words.push(`at least ${now.min}`);
  if (isTighter(now.max, old.max, -1)) words.push(`at most ${now.max}`);
  if (isTighter(now.min_length, old.min_length, 1)) words.push(`at least ${now.min_length} characters`);
  if (isTighter(now.max_length, old.max_length, -1)) words.push(`at most ${now.max_length} characters`);
  if (now.pattern !== undefined && now.pattern !== old.pattern) words.push('another pattern');
  if (now.format !== undefined && now.format !== old.format) words.push(`the format ${now.format}`);
  if (now.enum !== undefined && !(old.enum?.every((value) => now.enum!.includes(value)) ?? false))
    words.push(`one of ${now.enum.join(', ')}`);
  if (now.ref !== undefined && now.ref.entity !== old.ref?.entity) words.push(`a row of ${now.ref.entity}`);
  return words;
}

/** `side`: 1 for a lower bound, -1 for an upper one. */
function isTighter(now: number | undefined, old: number | undefined, side: 1 | -1): boolean {
  return now !== undefined && (old === undefined || side * now > side * old);
}
