/**
 * Rules in CEL over `principal`, `row`, `request` and `now`, compiled once (docs/contract/data-definitions.md §2).
 * A rule allows only by evaluating to true: an error while it runs denies.
 */
import type { ParseResult } from '@marcbachmann/cel-js';
import { limits } from '#config/limits.ts';
import { fuelledWith, fuelLeft, OutOfFuel } from './pace/fuel.ts';
import { withDoubles } from './long-number.ts';
import { accessOf, ownNames } from './rule-access.ts';
import { changeEnvironment, environment, meterProgram, showStacks, walk } from './rule-environment.ts';
import { narrowingOf, type CompilePart, type Narrow, type Narrowing } from './rule-narrowing.ts';
import type { Relations } from './rule-members.ts';
import { conditionsIn } from './rule-conditions.ts';
import { followPaths, pathMisuse, pathsOf } from './rule-paths.ts';
import type { RuleScope } from './rule-scope.ts';

export interface Rule {
  /** Whether the rule reads `row`, and so must be evaluated for each row. */
  readonly usesRow: boolean;
  /** Whether the rule reads nothing but `principal`: one answer for a principal, whatever the request. */
  readonly usesPrincipalOnly: boolean;
  /** Whether the rule reads rows that references of `row` lead to: its scope must then say how (rule-scope.ts). */
  readonly follows: boolean;
  /** `failed` is called with the reason when a rule gives no answer. Throws OutOfFuel when the turn's fuel is gone, and nothing is decided. */
  allows(scope: RuleScope, failed?: (fault: RuleFault) => void): boolean;
  /** As `allows`, but a rule that fails throws its error, and one that does not give a bool throws too. */
  judge(scope: RuleScope): boolean;
  /** What every row that the rule admits must meet, for the look-up of rows; null when nothing can be said. */
  readonly narrow: Narrow | null;
  /** The conditions that it puts together by `&&`, `||`, `!` and `? :`, in their order, each a rule of its own; compiled when they are first asked for. */
  parts(): readonly RulePart[];
}

export interface RulePart {
  /** As it is written. */
  readonly text: string;
  readonly rule: Rule;
}

/** Stands for a rule that does not compile: it denies every principal, superadmins included. */
export const DENY: Rule = {
  usesRow: false,
  usesPrincipalOnly: true,
  follows: false,
  allows: () => false,
  judge: () => false,
  narrow: null,
  parts: () => [],
};

/** A definition that cannot be used, with the place that its author must correct. */
export class DefinitionError extends Error {
  readonly where: string;

  constructor(where: string, message: string) {
    super(`${where}: ${message}`);
    this.where = where;
  }
}

/** Why a rule gave no answer, in words that hold nothing of its inputs. */
export interface RuleFault {
  /** The rule's place in its definition. */
  readonly where: string;
  /** The part of the rule that failed, as it is written. */
  readonly part: string;
  readonly why: string;
  /** Whether it would have burned more than one evaluation may. */
  readonly tooCostly: boolean;
}

/** One evaluation would burn more than it may. */
class TooCostly extends Error {
  constructor() {
    super(`the rule needs more than ${limits.rules.evaluationUnits} steps for this`);
  }
}

/**
 * Compiles a rule. With `relations`, those of the entity that its `row` is of, paths over references are followed. Throws
 * DefinitionError naming `where` when it does not parse, names what does not exist, or is no condition.
 */
export function compileRule(source: string, where: string, relations?: Relations): Rule {
  const { program, type } = checkedProgram(source, where);
  const used = new Set<string>();
  walk(program.ast, (node) => {
    if (node.op === 'id') used.add(node.args);
  });
  if (type !== 'bool' && !type.startsWith('dyn')) throw new DefinitionError(where, `the rule gives ${type}, not bool`);
  const usesPrincipalOnly = !used.has('row') && !used.has('request') && !used.has('now');
  const usesRow = used.has('row');
  const pathOf = usesRow && relations !== undefined ? checkedPaths(program, relations, where) : NO_PATHS;
  const follows = followPaths(program, pathOf);
  const seen = used.has('request') && MAY_READ_DATA.test(source) ? doubled : (scope: RuleScope): RuleScope => scope;
  const narrow = usesRow ? narrowingOf(program.ast, { compile: compilePart, pathOf }) : null;
  return {
    usesRow,
    usesPrincipalOnly,
    follows,
    allows: (scope, failed) => isTrue(program, seen(scope), where, failed),
    judge: (scope) => judged(program, seen(scope)),
    narrow: narrow && ((scope) => narrowed(narrow, seen(scope))),
    parts: partsOnce(program, where, relations),
  };
}

function partsOnce({ ast }: ParseResult, where: string, relations: Relations | undefined): Rule['parts'] {
  let parts: readonly RulePart[] | null = null;
  return () => (parts ??= conditionsIn(ast).flatMap((text) => compiledPart(text, where, relations)));
}

/** None for a text that is no condition by itself. */
function compiledPart(text: string, where: string, relations: Relations | undefined): readonly RulePart[] {
  try {
    return [{ text, rule: compileRule(text, where, relations) }];
  } catch (error) {
    if (error instanceof DefinitionError) return [];
    throw error;
  }
}

type PathOf = ReturnType<typeof pathsOf>;

const NO_PATHS: PathOf = () => null;

function checkedPaths({ ast }: ParseResult, relations: Relations, where: string): PathOf {
  const misuse = pathMisuse(ast, relations);
  if (misuse !== null) throw new DefinitionError(where, misuse);
  return pathsOf(ast, relations);
}

/** An expression over one row. Throws the error of its evaluation, OutOfFuel when the turn's fuel is gone. */
export type RowValue = (row: object) => unknown;

/** Compiles an expression that reads `row` alone, so that the same row always gives the same value. Throws DefinitionError. */
export function compileValue(source: string, where: string): RowValue {
  const { program } = checkedProgram(source, where);
  walk(program.ast, (node) => {
    if (node.op === 'id' && (node.args === 'principal' || node.args === 'request' || node.args === 'now'))
      throw new DefinitionError(where, `the expression reads ${node.args}: it may read row alone`);
  });
  return (row) => valueOf(program, { row });
}

/** An expression over one row, and the names of the fields that it reads. */
export interface FieldsValue {
  readonly value: RowValue;
  readonly reads: ReadonlySet<string>;
}

/** As `compileValue`, of an expression that uses `row` as `row.<field>` alone, so that it is known what it reads. */
export function compileFieldsValue(source: string, where: string): FieldsValue {
  const value = compileValue(source, where);
  const { ast } = checkedProgram(source, where).program;
  const reads = new Set<string>();
  let rows = 0;
  let members = 0;
  walk(ast, (node) => {
    if (node.op === 'id' && node.args === 'row') rows++;
    const access = accessOf(node);
    if (access?.of.op !== 'id' || access.of.args !== 'row') return;
    members++;
    reads.add(access.name);
  });
  if (rows !== members || ownNames(ast).has('row'))
    throw new DefinitionError(
      where,
      'the expression uses row as a whole: write row.<field> for each field that it reads',
    );
  return { value, reads };
}

/** The inputs of a condition on a change of a row; both are plain values as JSON has them. */
export interface ChangeScope {
  readonly row: object;
  /** The row as it was; without members for a row that was created. */
  readonly old: object;
  readonly now: Date;
}

/** As `Rule.allows`, of a change. */
export type ChangeCondition = (scope: ChangeScope, failed: (fault: RuleFault) => void) => boolean;

/** Compiles a condition over `row`, `old` and `now`. Throws DefinitionError. */
export function compileChange(source: string, where: string): ChangeCondition {
  const { program, type } = checkedProgram(source, where, changeEnvironment);
  if (type !== 'bool' && !type.startsWith('dyn')) throw new DefinitionError(where, `the rule gives ${type}, not bool`);
  return (scope, failed) => isTrue(program, scope, where, failed);
}

/** Parses, checks and meters. */
function checkedProgram(
  source: string,
  where: string,
  env: typeof environment = environment,
): { readonly program: ParseResult; readonly type: string } {
  try {
    const program = env.parse(source);
    const checked = program.check();
    if (!checked.valid) throw checked.error!;
    meterProgram(program);
    return { program, type: checked.type! };
  } catch (error) {
    throw new DefinitionError(where, firstLine(error));
  }
}

/** Most rules that read `request` ask for its method alone. An index may be any name. */
const MAY_READ_DATA = /data|\[/;

/** Bodies with doubles for their long numbers, by body: each is converted once for all rules. */
const plain = new WeakMap<object, unknown>();

/** Numbers of CEL are doubles: it has no type for numbers that keep their digits, and a rule that met one would fail. */
function doubled(scope: RuleScope): RuleScope {
  const { data } = scope.request as { readonly data?: unknown };
  if (typeof data !== 'object' || data === null) return scope;
  let known = plain.get(data);
  if (known === undefined) plain.set(data, (known = withDoubles(data)));
  return known === data ? scope : { ...scope, request: { ...scope.request, data: known } };
}

const compilePart: CompilePart = (source) => {
  try {
    const { program } = checkedProgram(source, '');
    return { ast: program.ast, evaluate: (scope) => program(scope) as unknown };
  } catch {
    return null;
  }
};

/** One evaluation with the fuel that it may burn. Throws its error: TooCostly when it burns more, OutOfFuel when the turn around it had less left. */
function evaluated(program: ParseResult, scope: object): unknown {
  const whole = fuelLeft() >= limits.rules.evaluationUnits;
  try {
    return fuelledWith<Record<string, unknown>, unknown>(
      limits.rules.evaluationUnits,
      program,
      scope as Record<string, unknown>,
    );
  } catch (error) {
    throw whole && error instanceof OutOfFuel ? new TooCostly() : error;
  } finally {
    showStacks();
  }
}

function isTrue(
  program: ParseResult,
  scope: object,
  where: string,
  failed: ((fault: RuleFault) => void) | undefined,
): boolean {
  try {
    return evaluated(program, scope) === true;
  } catch (error) {
    if (error instanceof OutOfFuel) throw error;
    failed?.(faultOf(error, where));
    return false;
  }
}

function judged(program: ParseResult, scope: RuleScope): boolean {
  const verdict = valueOf(program, scope);
  if (typeof verdict !== 'boolean') throw new Error('the rule gives no bool');
  return verdict;
}

function valueOf(program: ParseResult, scope: object): unknown {
  try {
    return evaluated(program, scope);
  } catch (error) {
    if (error instanceof OutOfFuel) throw error;
    throw new Error(firstLine(error), { cause: error });
  }
}

/** Narrowing burns fuel; when that runs out nothing is narrowed, since a part of the answer would be wrong. */
function narrowed(narrow: Narrow, scope: RuleScope): readonly Narrowing[] {
  try {
    return fuelledWith(limits.rules.evaluationUnits, narrow, scope);
  } catch (error) {
    if (error instanceof OutOfFuel) return [];
    throw error;
  } finally {
    showStacks();
  }
}

/** Messages of the library may repeat values: its codes and the rule's own words do not. */
function faultOf(error: unknown, where: string): RuleFault {
  if (error instanceof TooCostly) return { where, part: '', why: error.message, tooCostly: true };
  const { code, node } = error as { code?: unknown; node?: { input: string; start: number; end: number } };
  const part = node === undefined ? '' : node.input.slice(node.start, node.end);
  return { where, part, why: typeof code === 'string' ? code : 'error', tooCostly: false };
}

function firstLine(error: unknown): string {
  return (error as Error).message.split('\n', 1)[0]!;
}
