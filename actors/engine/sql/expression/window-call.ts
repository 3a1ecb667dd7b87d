/** `f(…) over (…)`: window functions, and aggregates over a window. */
import type { FuncCall, WindowDef } from 'libpg-query';
import { shown } from '#actors/kit/shown.ts';
import type { Place, StatementContext } from '../context.ts';
import { formOf } from '../node.ts';
import { sortItem, sortsOf } from '../select/sort-items.ts';
import { isComparable } from '../type.ts';
import { computedBy, isAggregate } from './aggregation.ts';
import { settled } from './coerce.ts';
import type { Expr } from './expr.ts';
import { frameOf, type Frame } from './frame.ts';
import { overWindow } from './window-aggregate.ts';
import { isWindowFunction, windowFunction } from './window-functions.ts';
import type { Window, Windows } from './windows.ts';

export function windowCall(place: Place, node: FuncCall, name: string): Expr {
  const { statement, windows } = place;
  const at = node.location ?? 0;
  if (windows === null)
    return statement.fault(
      at,
      `${name} over (…) may not stand here`,
      'put it into the select list, of a subquery where it is a condition',
    );
  statement.only(node, ['funcname', 'args', 'agg_star', 'agg_filter', 'over', 'funcformat']);
  const inner = place.withoutWindows();
  const definition = resolved(statement, windows, node.over!);
  const window = windows.at(formOf([definition.partitionClause ?? [], definition.orderClause ?? []]), () =>
    windowOf(inner, definition),
  );
  const frame = frameOf(inner, definition, window.order.length > 0);
  const slot = place.level.takeSlot();
  if (isAggregate(name)) {
    const computed = computedBy(inner, node, name);
    window.functions.push(overWindow(computed.aggregate, frame, slot));
    return computed.shown(at, slot);
  }
  return plainCall(inner, node, name, window, frame, slot);
}

function plainCall(inner: Place, node: FuncCall, name: string, window: Window, frame: Frame, slot: number): Expr {
  const { statement } = inner;
  const at = node.location ?? 0;
  if (!isWindowFunction(name)) return statement.fault(at, `${name} is no window function`, 'docs/sql.md lists them');
  statement.only(node, ['funcname', 'args', 'over', 'funcformat']);
  const args = (node.args ?? []).map((arg) => settled(statement, inner.expr(arg)));
  const { type, narrow, made } = windowFunction(statement, at, name, args);
  window.functions.push(made(frame, slot));
  return { type, at, uses: 0, outer: false, aggregated: true, evaluate: (tuple) => tuple[slot], narrow };
}

/** The definition with what it takes over from a window of the WINDOW clause. */
function resolved(statement: StatementContext, windows: Windows, node: WindowDef): WindowDef {
  statement.only(node, KNOWN);
  const isName = node.partitionClause === undefined && node.orderClause === undefined;
  const name = node.refname ?? (isName ? node.name : undefined);
  if (name === undefined) return node;
  const known = windows.definitions.get(name);
  if (known === undefined || known === node)
    return statement.fault(node, `there is no window ${shown(name)}`, 'define it: window w as (…)');
  const base =
    known.refname === undefined
      ? known
      : statement.nested({ WindowDef: known }, () => resolved(statement, windows, known));
  if (node.refname === undefined) return base;
  if (node.partitionClause !== undefined || (node.orderClause !== undefined && base.orderClause !== undefined))
    return statement.fault(node, `the window ${shown(name)} cannot be changed so`, 'write a window of its own');
  const orderClause = node.orderClause ?? base.orderClause;
  const { partitionClause } = base;
  return { ...node, ...(partitionClause && { partitionClause }), ...(orderClause && { orderClause }) };
}

const KNOWN: readonly string[] = [
  'name',
  'refname',
  'partitionClause',
  'orderClause',
  'frameOptions',
  'startOffset',
  'endOffset',
];

function windowOf(inner: Place, { partitionClause = [], orderClause = [] }: WindowDef): Window {
  const { statement } = inner;
  const by = partitionClause.map((item) => {
    const expr = settled(statement, inner.expr(item));
    return isComparable(expr.type)
      ? expr
      : statement.unsupported(expr.at, `a partition by ${expr.type}`, 'use a column');
  });
  const order = sortsOf(statement, orderClause).map((sort) =>
    sortItem(statement, sort, settled(statement, inner.expr(sort.node!)), -1),
  );
  return { by, order, functions: [] };
}
