/** Values of fields as texts that people read and type. What a type may hold is the node's to say: a text that is no value of the type is sent as it is, and refused in the node's words. Pure. */
import { keyOf, labelField, type EntityDoc, type Field, type Row } from './shapes.ts';

type Typed = Pick<Field, 'type' | 'nullable'>;

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** As a form shows it: JSON in lines. */
export const formTextOf = (value: unknown, { type }: Pick<Field, 'type'>): string =>
  type === 'json' && value !== null && value !== undefined ? JSON.stringify(value, null, 2) : textOf(value);

/** Throws a SyntaxError for a text that is no JSON where the field holds some. */
export function valueOf(text: string, { type, nullable }: Typed): unknown {
  if (text === '') return nullable || !['string', 'text'].includes(type) ? null : '';
  if (type === 'json') return JSON.parse(text);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'integer' || type === 'number') return numberOf(text);
  return text;
}

/** A text that a number would not hold whole stays a text. */
function numberOf(text: string): number | string {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return text;
  const isLost = /^-?\d+$/.test(text.trim()) && !Number.isSafeInteger(value) && String(value) !== text.trim();
  return isLost ? text : value;
}

/** Whether a cell is a good place to change it: one line, no file, nothing that a mask hides. */
export const isCellEditable = ({ type, read_only: isKept, mask }: Field): boolean =>
  !isKept && mask === undefined && !['json', 'file', 'bytes'].includes(type);

/** Whether a form can change it. */
export const isEditable = ({ type, read_only: isKept }: Pick<Field, 'type' | 'read_only'>): boolean =>
  !isKept && !['file', 'bytes'].includes(type);

export interface Difference {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What two versions of a row differ in, but for what the service keeps with each. */
export function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Difference[] {
  return Object.keys({ ...before, ...after })
    .filter((name) => name !== 'version' && textOf(before[name]) !== textOf(after[name]))
    .map((name) => ({ name, before: before[name], after: after[name] }));
}

/** What a row is given to have the values of an earlier version again. A value that a mask hides is not among them: it would be written as it is shown. */
export function changesBack(
  fields: readonly Pick<Field, 'name' | 'type' | 'read_only' | 'mask'>[],
  now: Readonly<Record<string, unknown>>,
  then: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const differs = (name: string): boolean => Object.hasOwn(then, name) && textOf(now[name]) !== textOf(then[name]);
  const changed = fields.filter((field) => isEditable(field) && field.mask === undefined && differs(field.name));
  return Object.fromEntries(changed.map(({ name }) => [name, then[name]]));
}

/** What a person types to delete a row. */
export function nameOf(entity: EntityDoc, row: Row): string {
  const label = textOf(row[labelField(entity)]).trim();
  return label === '' || label.length > 60 || label.includes('\n') ? keyOf(entity, row) : label;
}

/** A row by the name that people know, and its key. */
export function titleOf(entity: EntityDoc, row: Row): string {
  const [name, key] = [nameOf(entity, row), keyOf(entity, row)];
  return name === key ? key : `${name} · ${key}`;
}
