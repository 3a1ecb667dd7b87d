/** Queries by plain loops over plain rows: what the engine must answer whatever plan it takes. */
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Tree } from '#actors/engine/rows/alternatives.ts';
import type { Conjunction, Predicate, Query } from '#actors/engine/rows/query.ts';

export type Row = Record<string, unknown>;

/** Order by meaning: bytes of text, exact numbers. Independent of the room's own comparators. */
function compare(name: string, a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (name === 'i')
    return Number(BigInt(a as number) > BigInt(b as number)) - Number(BigInt(a as number) < BigInt(b as number));
  if (name === 'd')
    return Number(scaled(a as string) > scaled(b as string)) - Number(scaled(a as string) < scaled(b as string));
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return Number(a) - Number(b);
}

function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(30, '0'));
}

/** SQL's LIKE as a regular expression of JavaScript. */
function likeness(pattern: string, fold: boolean): RegExp {
  const body = pattern.replace(/\\(.)|([%_])|([^%_\\])/gsu, (_, escaped?: string, wild?: string, plain?: string) =>
    wild === undefined ? (escaped ?? plain)!.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&') : wild === '%' ? '.*' : '.',
  );
  return new RegExp(`^${body}$`, fold ? 'isu' : 'su');
}

function holds({ field, op, value: wantedValue }: Predicate, row: Row): boolean {
  const given = row[field];
  if (op === 'null') return (given === null) === wantedValue;
  if (given === null) return false;
  const against = (other: unknown) => compare(field, given, other);
  const list = wantedValue as unknown[];
  switch (op) {
    case 'eq':
      return against(wantedValue) === 0;
    case 'ne':
      return against(wantedValue) !== 0;
    case 'gt':
      return against(wantedValue) > 0;
    case 'gte':
      return against(wantedValue) >= 0;
    case 'lt':
      return against(wantedValue) < 0;
    case 'lte':
      return against(wantedValue) <= 0;
    case 'in':
      return list.some((other) => against(other) === 0);
    case 'nin':
      return list.every((other) => against(other) !== 0);
    case 'between':
      return against(list[0]) >= 0 && against(list[1]) <= 0;
    default: {
      const isLike = likeness(wantedValue as string, op === 'ilike' || op === 'nilike').test(given as string);
      return isLike === (op === 'like' || op === 'ilike');
    }
  }
}

export function meets({ where, any }: Conjunction, row: Row): boolean {
  return where.every((one) => holds(one, row)) && any.every(({ of }) => of.some((one) => meets(one, row)));
}

/** SQL's three values, where null is unknown: whether a row meets conditions as callers write them. */
export function truthOf(tree: Tree, row: Row): boolean | null {
  if (tree.kind === 'predicate') return tree.op !== 'null' && row[tree.field] === null ? null : holds(tree, row);
  if (tree.kind === 'not') {
    const truth = truthOf(tree.of, row);
    return truth === null ? null : !truth;
  }
  const truths = tree.of.map((one) => truthOf(one, row));
  const decides = tree.kind === 'any';
  if (truths.includes(decides)) return decides;
  return truths.includes(null) ? null : !decides;
}

export function naive(
  rows: readonly Row[],
  { where, any, order, limit, offset, deleted, after, before }: Query,
  model?: EntityModel,
): { rows: Row[]; total: number } {
  const last = order.at(-1)?.descending ?? false;
  const terms = [...order, { field: 'id', descending: last }];
  const byOrder = (a: Row, b: Row): number => {
    for (const { field, descending } of terms) {
      const difference = compare(field, a[field], b[field]);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  };
  const matches = rows
    .filter((row) => deleted || row['deleted_at'] === null)
    .filter((row) => meets({ where, any }, row))
    .toSorted(byOrder);
  const low = after === null ? null : model!.shape(after);
  const high = before === null ? null : model!.shape(before);
  const between = matches.filter(
    (row) => (low === null || byOrder(row, low) > 0) && (high === null || byOrder(row, high) < 0),
  );
  const page =
    high !== null && low === null ? between.slice(-limit || between.length) : between.slice(offset, offset + limit);
  return { rows: page, total: matches.length };
}
