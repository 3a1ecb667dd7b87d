/** What the roles of one person let that person do, by entity and operation. Pure. */
import type { RoleUse } from './shapes.ts';

/** `granted` by a role alone; `ruled`: an access rule names a role, and may ask for more. */
export type May = 'granted' | 'ruled';

export interface MayRow {
  readonly entity: string;
  readonly may: ReadonlyMap<string, May>;
}

export interface Matrix {
  /** Those that any row has, in their usual order. */
  readonly operations: readonly string[];
  readonly rows: readonly MayRow[];
}

const ORDER = ['read', 'create', 'update', 'delete', 'restore', 'purge', 'unmask'];
const placeOf = (operation: string): number => {
  const at = ORDER.indexOf(operation);
  return at < 0 ? ORDER.length : at;
};

/** `roles`: those that the person has. */
export function matrixOf(roles: readonly RoleUse[]): Matrix {
  const byEntity = new Map<string, Map<string, May>>();
  for (const { entity, granted, ruled } of roles.flatMap(({ entities }) => entities)) {
    const may = byEntity.get(entity) ?? new Map<string, May>();
    byEntity.set(entity, may);
    for (const operation of ruled) if (!may.has(operation)) may.set(operation, 'ruled');
    for (const operation of granted) may.set(operation, 'granted');
  }
  const rows = [...byEntity]
    .map(([entity, may]) => ({ entity, may }))
    .toSorted((a, b) => (a.entity < b.entity ? -1 : 1));
  const operations = [...new Set(rows.flatMap(({ may }) => [...may.keys()]))];
  return { operations: operations.toSorted((a, b) => placeOf(a) - placeOf(b)), rows };
}
