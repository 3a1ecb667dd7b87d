/**
 * Rules in CEL over `principal`, `row`, `request` and `now`, compiled once (DESIGN §7; decisions.md "Data").
 * A rule allows only by evaluating to true: an error while it runs denies.
 */
import { Environment } from '@marcbachmann/cel-js';
import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import { compilePattern, matchesPattern } from './pattern.ts';
import { narrowingOf } from './rule-narrowing.ts';
import type { CompilePart, Narrow } from './rule-narrowing.ts';
import type { RuleScope } from './rule-scope.ts';

export interface Rule {
  /** Whether the rule reads `row`, and so must be asked for each row. */
  readonly usesRow: boolean;
  /** Whether the rule reads nothing but `principal`: one answer for a principal, whatever he asks. */
  readonly usesPrincipalOnly: boolean;
  allows(scope: RuleScope): boolean;
  /** As `allows`, for who must know that the rule failed: throws what went wrong, and where it gives no bool. */
  judge(scope: RuleScope): boolean;
  /** What every row that the rule admits must meet, for those who look rows up; null when nothing can be said. */
  readonly narrow: Narrow | null;
}

/** In the place of a rule that does not compile: nobody is allowed anything, superadmins neither. */
export const DENY: Rule = {
  usesRow: false,
  usesPrincipalOnly: true,
  allows: () => false,
  judge: () => false,
  narrow: null,
};

/** A definition that cannot be used, with the place that its author must mend. */
export class DefinitionError extends Error {
  readonly where: string;

  constructor(where: string, message: string) {
    super(`${where}: ${message}`);
    this.where = where;
  }
}

const SLOW_MATCHES = 'matches';
const LINEAR_MATCHES = 'matches_linear';

const environment = ruleEnvironment();

/** JSON numbers are doubles and CEL literals are ints: every arithmetic operator is registered for the mixed pairs. */
function ruleEnvironment(): Environment {
  const env = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxAstNodes: 1000, maxDepth: 64 },
  })
    .registerVariable('principal', 'map')
    .registerVariable('row', 'map')
    .registerVariable('request', 'map')
    .registerVariable('now', 'google.protobuf.Timestamp')
    .registerFunction(`string.${LINEAR_MATCHES}(string): bool`, matchesPattern);
  const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
    '%': (a, b) => a % b,
  };
  for (const [sign, apply] of Object.entries(operators)) {
    const mixed = (a: unknown, b: unknown) => apply(Number(a), Number(b));
    env.registerOperator(`double ${sign} int: double`, mixed);
    env.registerOperator(`int ${sign} double: double`, mixed);
  }
  return env.registerOperator('double % double: double', operators['%']!);
}

/** Compiles a rule. Throws DefinitionError naming `where` when it does not parse, names what does not exist, or is no condition. */
export function compileRule(source: string, where: string): Rule {
  const program = parseLinear(source, where);
  const used = new Set<string>();
  walk(program.ast, (node) => {
    if (node.op === 'id') used.add(node.args);
  });
  const checked = program.check();
  if (!checked.valid) throw new DefinitionError(where, firstLine(checked.error));
  if (checked.type !== 'bool' && !checked.type!.startsWith('dyn'))
    throw new DefinitionError(where, `the rule gives ${checked.type}, not bool`);
  const usesPrincipalOnly = !used.has('row') && !used.has('request') && !used.has('now');
  const usesRow = used.has('row');
  const narrow = usesRow ? narrowingOf(program.ast, compilePart) : null;
  return {
    usesRow,
    usesPrincipalOnly,
    allows: (scope) => isTrue(program, scope),
    judge: (scope) => judged(program, scope),
    narrow,
  };
}

/** What an expression over one row gives. Throws what goes wrong in it. */
export type RowValue = (row: object) => unknown;

/** Compiles an expression that reads `row` alone, so that the same row always gives the same. Throws DefinitionError. */
export function compileValue(source: string, where: string): RowValue {
  const program = parseLinear(source, where);
  walk(program.ast, (node) => {
    if (node.op === 'id' && (node.args === 'principal' || node.args === 'request' || node.args === 'now'))
      throw new DefinitionError(where, `the expression reads ${node.args}: it may read row alone`);
  });
  const checked = program.check();
  if (!checked.valid) throw new DefinitionError(where, firstLine(checked.error));
  return (row) => {
    try {
      return program({ row }) as unknown;
    } catch (error) {
      throw new Error(firstLine(error), { cause: error });
    }
  };
}

/** The built-in `matches` backtracks: 1.2 s on a hostile pattern. Ours takes its place before the program is linked. */
function parseLinear(source: string, where: string): ParseResult {
  let program: ParseResult;
  try {
    program = environment.parse(source);
  } catch (error) {
    throw new DefinitionError(where, firstLine(error));
  }
  walk(program.ast, (node) => {
    if (node.op !== 'rcall' || node.args[0] !== SLOW_MATCHES) return;
    node.args[0] = LINEAR_MATCHES;
    checkPattern(node.args[2][0], where);
  });
  return program;
}

const compilePart: CompilePart = (source) => {
  try {
    const program = parseLinear(source, '');
    return { ast: program.ast, evaluate: (scope) => program(scope) as unknown };
  } catch {
    return null;
  }
};

/** A pattern that stands in the rule is compiled at load, so that a bad one is not met as a denial later. */
function checkPattern(argument: ASTNode | undefined, where: string): void {
  if (argument?.op !== 'value' || typeof argument.args !== 'string') return;
  try {
    compilePattern(argument.args);
  } catch (error) {
    throw new DefinitionError(where, firstLine(error));
  }
}

function isTrue(program: ParseResult, scope: RuleScope): boolean {
  try {
    return program(scope) === true;
  } catch {
    return false;
  }
}

function judged(program: ParseResult, scope: RuleScope): boolean {
  let verdict: unknown;
  try {
    verdict = program(scope);
  } catch (error) {
    throw new Error(firstLine(error), { cause: error });
  }
  if (typeof verdict !== 'boolean') throw new Error('the rule gives no bool');
  return verdict;
}

function firstLine(error: unknown): string {
  return (error as Error).message.split('\n', 1)[0]!;
}

/** Visits every node below and including `part`, whatever the shape of its arguments. */
function walk(part: unknown, visit: (node: ASTNode) => void): void {
  if (Array.isArray(part)) for (const item of part) walk(item, visit);
  else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    visit(part as ASTNode);
    walk(part.args, visit);
  }
}
