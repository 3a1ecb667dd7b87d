/**
 * The columns of a form in the store. A form that retypes or removes a column could not read its stored submissions any more: the service refuses
 * to start and prints the difference. Spec: docs/contract/intake.md §3.3.
 */
import type { FormDefinition, FormFieldType } from '#config/definitions/form.ts';

/** The stored type of a field's values. */
type ColumnType = 'text' | 'date' | 'integer' | 'number' | 'boolean' | 'file';

/** Column type by field name. */
export type Columns = Readonly<Record<string, ColumnType>>;

const COLUMN_OF: Readonly<Record<FormFieldType, ColumnType>> = {
  string: 'text',
  email: 'text',
  url: 'text',
  enum: 'text',
  date: 'date',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  file: 'file',
};

/** Refuses the start; its message is the difference, one line per column. */
export class DestructiveDiff extends Error {}

/** The columns that a form's fields need. */
export function columnsOf(form: FormDefinition): Columns {
  return Object.fromEntries(Object.entries(form.fields).map(([name, field]) => [name, COLUMN_OF[field.type]]));
}

/** One line per different column: `-` removed, `~` retyped, `+` added; empty without a difference. */
export function diffColumns(recorded: Columns, declared: Columns): { lines: readonly string[]; destructive: boolean } {
  const removed: string[] = [];
  const retyped: string[] = [];
  for (const [name, type] of Object.entries(recorded)) {
    if (!Object.hasOwn(declared, name)) removed.push(`  - ${name}: ${type} (removed)`);
    else if (declared[name] !== type) retyped.push(`  ~ ${name}: ${type} -> ${declared[name]} (retyped)`);
  }
  const added = Object.entries(declared).filter(([name]) => !Object.hasOwn(recorded, name));
  return {
    lines: [...removed, ...retyped, ...added.map(([name, type]) => `  + ${name}: ${type} (added)`)],
    destructive: removed.length + retyped.length > 0,
  };
}

/** Throws DestructiveDiff with every form's difference when one of them retypes or removes a recorded column. */
export function assertAdditive(
  forms: readonly FormDefinition[],
  recorded: (form: string) => Columns | undefined,
): void {
  const blocks: string[] = [];
  for (const form of forms) {
    const { lines, destructive } = diffColumns(recorded(form.id) ?? {}, columnsOf(form));
    if (destructive) blocks.push(`form ${form.id} (${form.where}):\n${lines.join('\n')}`);
  }
  if (blocks.length === 0) return;
  const help = 'Give the fields back as they were, or give the changed form a new id.';
  throw new DestructiveDiff(`forms would retype or remove stored columns:\n${blocks.join('\n')}\n${help}`);
}
