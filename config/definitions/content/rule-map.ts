/** `access`: a rule per operation, in stores and apps. */
import * as z from 'zod';
import { pathText, placeText, type Path, type Place } from '../../problem.ts';
import type { Tree } from '../../tree.ts';
import { rule } from '../rule.ts';
import type { OperationRule, Rules } from './shapes.ts';

/** The place of a value. A platform file that was checked earlier has no tree any more: then the place is its key. */
export function placeIn(tree: Tree | null, path: Path): Place {
  return tree?.placeOf(path, 'value') ?? { file: `platform ${pathText(path)}`, line: 0, column: 0 };
}

/** The rules of some operations; another operation is refused. */
export function ruleMap<const O extends readonly [string, ...string[]]>(operations: O) {
  const entries = operations.map((operation) => [operation, rule(`who may ${operation}`).optional()]);
  const shape = Object.fromEntries(entries) as Record<O[number], z.ZodOptional<ReturnType<typeof rule>>>;
  return z.strictObject(shape).prefault({} as never);
}

/** The rules with their places. */
export function rulesOf<O extends string>(
  written: Readonly<Partial<Record<O, OperationRule | undefined>>>,
  tree: Tree | null,
  at: Path,
): Rules<O> {
  const entries = Object.entries<OperationRule | undefined>(written).flatMap(([operation, one]) =>
    one === undefined ? [] : [[operation, { ...one, where: placeText(placeIn(tree, [...at, operation, 'rule'])) }]],
  );
  return Object.fromEntries(entries) as Rules<O>;
}
