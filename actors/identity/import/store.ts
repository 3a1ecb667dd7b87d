/** Which foreign forms of password hashes the tenant's users have: every login runs one of each. Each write of a user keeps the count, in its commit. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';
import { foreignCost } from '#actors/kit/password.ts';
import type { Cost } from '#actors/kit/foreign-hash/form.ts';

interface Held extends Cost {
  readonly users: number;
}

const table = new Table<Held>('foreign_hash', TABLES.foreign_hash);

/** Stages the counts after a write of a user; undefined stands for no hash. */
export function countForm(turn: Turn, before: string | undefined, after: string | undefined): void {
  if (before === after) return;
  const was = foreignCost(before ?? '');
  const is = foreignCost(after ?? '');
  if (was?.form === is?.form && was?.units === is?.units) return;
  if (was !== null) add(turn, was, -1);
  if (is !== null) add(turn, is, 1);
}

/** A user of before this table, with a hash of former parameters, was never counted: the count does not go below zero. */
function add(turn: Turn, { form, units }: Cost, more: 1 | -1): void {
  const users = (table.get(turn, form, units)?.users ?? 0) + more;
  if (users > 0) table.put(turn, { form, units, users }, form, units);
  else if (more < 0 && turn.get(table.key(form, units)) !== undefined) table.del(turn, form, units);
}

/** Every form with its highest cost, in the order of their names: what each login of the tenant runs. Empty for most tenants. */
export function heldForms(reader: Reader): Cost[] {
  const held = new Map<string, number>();
  for (const { form, units } of table.scan(reader)) held.set(form, Math.max(units, held.get(form) ?? 0));
  return [...held].map(([form, units]) => ({ form, units }));
}

/** Forms and costs that the tenant holds, for the bound of an import: `form` alone and with its units. */
export function heldCosts(reader: Reader): {
  readonly forms: ReadonlySet<string>;
  readonly costs: ReadonlySet<string>;
} {
  const rows = [...table.scan(reader)];
  return {
    forms: new Set(rows.map(({ form }) => form)),
    costs: new Set(rows.map(({ form, units }) => `${form} ${units}`)),
  };
}
