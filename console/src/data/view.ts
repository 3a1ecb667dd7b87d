/**
 * What the address of a page of rows says: conditions and order as the parameters of the API have them (docs/contract/data.md §5), and which row is open. Pure.
 */
import { plain, readable, type Search } from '../frame/search.ts';
import { OPERATORS, type Operator } from './operators.ts';

export interface Condition {
  /** A field, or a path in brackets: `[country.name]`. */
  readonly field: string;
  readonly op: Operator;
  readonly value: string;
}

/** A row that a reader has come to from another one. */
export interface Step {
  readonly entity: string;
  readonly id: string;
}

export interface View {
  readonly conditions: readonly Condition[];
  /** `population`, `-population`. */
  readonly order: readonly string[];
  /** Rows that are marked as deleted are shown, too. */
  readonly deleted: boolean;
  /** The row that is open in the sheet. */
  readonly row: string | null;
  /** Rows that were followed from there in the sheet; the last one is shown. */
  readonly trail: readonly Step[];
  /** The sheet is open for a row that does not exist yet. */
  readonly isNew: boolean;
  /** The sheet is open for a file of rows. */
  readonly isImport: boolean;
}

const CONDITION = /^([^[\]]+|\[[^[\]]+\])(?:\[([a-z]+)\])?$/;

/** Parameters of the API that are no conditions; this page has them itself, or none. */
const NO_CONDITION: ReadonlySet<string> = new Set(
  (
    'row new import follow orderby order_by deleted select fields limit pagesize offset page after before include filter groupby having depth ' +
    'stats sendstats meta sendmeta states sendstates allowedactions sendallowedactions sendhash unmask untokenize purge version ' +
    'expression download datastore [aggregate] [bucket] [zone] [on] [or] [and] [not]'
  ).split(' '),
);

export function viewOf(search: Search): View {
  const one = (key: string): string | null => {
    const value = [search[key]].flat()[0];
    return value === undefined || value === '' ? null : plain(value);
  };
  const conditions = Object.entries(search).flatMap(([key, values]) => {
    const found = NO_CONDITION.has(key.toLowerCase()) ? null : CONDITION.exec(key);
    const op = found === null ? undefined : OPERATORS.find((name) => name === (found[2] ?? 'eq'));
    if (found === null || op === undefined) return [];
    return [values].flat().map((value): Condition => ({ field: found[1]!, op, value: String(value) }));
  });
  return {
    conditions,
    order: (one('orderby') ?? '').split(',').filter((term) => term !== ''),
    deleted: one('deleted') === 'true',
    row: one('row'),
    trail: [search['follow'] ?? []]
      .flat()
      .map(stepOf)
      .filter((step) => step !== null),
    isNew: one('new') !== null,
    isImport: one('import') !== null,
  };
}

/** Longer ways than this are cut where they begin: they are in the address. */
const TRAIL_MAX = 12;

/** `country/CH`; null for any other text. */
function stepOf(value: unknown): Step | null {
  const [, entity, id] = /^([^/]+)\/(.+)$/.exec(String(value)) ?? [];
  return entity === undefined || id === undefined ? null : { entity, id };
}

/** The way with one row more; a row that was passed before is gone back to. */
export function followed(trail: readonly Step[], to: Step): readonly Step[] {
  const before = trail.findIndex(({ entity, id }) => entity === to.entity && id === to.id);
  return before < 0 ? [...trail, to].slice(-TRAIL_MAX) : trail.slice(0, before + 1);
}

/** As the address has it. */
export function searchOf({
  conditions,
  order,
  deleted,
  row,
  trail,
  isNew,
  isImport,
}: View): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  for (const { field, op, value } of conditions) {
    const key = `${field}[${op}]`;
    const before = out[key];
    out[key] = before === undefined ? value : [...[before].flat(), value];
  }
  if (order.length > 0) out['orderby'] = order.join();
  if (deleted) out['deleted'] = 'true';
  if (row !== null) out['row'] = row;
  if (trail.length > 0) out['follow'] = trail.map(({ entity, id }) => `${entity}/${id}`);
  if (isNew) out['new'] = '1';
  if (isImport) out['import'] = '1';
  return out;
}

/** As a request has it. */
export function queryOf({
  conditions,
  order,
  deleted,
}: Pick<View, 'conditions' | 'order' | 'deleted'>): URLSearchParams {
  const query = new URLSearchParams();
  for (const { field, op, value } of conditions) query.append(`${field}[${op}]`, value);
  if (order.length > 0) query.set('orderby', order.join());
  if (deleted) query.set('deleted', 'true');
  return query;
}

/** The order after a click on the head of a column: up, down, none. Another column takes its place. */
export function turned(order: readonly string[], field: string): readonly string[] {
  if (order[0] === field) return [`-${field}`];
  return order[0] === `-${field}` ? [] : [field];
}

/** A command that asks for the same rows. `TOKEN` is left to the reader's shell: no bearer is in a text that is copied. */
export function curlOf(
  view: View,
  at: { readonly origin: string; readonly key: string; readonly entity: string },
): string {
  const [customer, product, env, tenant] = at.key.split(':');
  const query = queryOf(view);
  query.set('limit', '100');
  const heads = [`X-Customer: ${customer}`, `X-Product: ${product}`, `X-Env: ${env}`, `X-Tenant: ${tenant}`];
  const url = `${at.origin}/data/rest/${at.entity}?${readable(query)}`;
  return `curl -g ${heads.map((head) => `-H '${head}'`).join(' ')} -H "Authorization: Bearer $TOKEN" '${url.replaceAll("'", '%27')}'`;
}
