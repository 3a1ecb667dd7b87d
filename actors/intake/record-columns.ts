/** The columns of forms, compared with those that are stored and added to them (columns.ts). */
import type { FormDefinition } from '#config/definitions/form.ts';
import { assertAdditive, columnsOf, diffColumns, type Columns } from './columns.ts';
import type { IntakeStore } from './store-port.ts';

/** Throws DestructiveDiff for a removed or retyped column; records added ones. */
export async function recordColumns(store: IntakeStore, forms: readonly FormDefinition[]): Promise<void> {
  assertAdditive(forms, (form) => store.columns(form));
  const added = new Map<string, Columns>();
  for (const form of forms) {
    const declared = columnsOf(form);
    if (diffColumns(store.columns(form.id) ?? {}, declared).lines.length > 0) added.set(form.id, declared);
  }
  if (added.size > 0) await store.recordColumns(added);
}
