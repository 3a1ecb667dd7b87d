/**
 * The CEL that rules are written in, metered: all that a rule can make long or large burns fuel before it runs (fuel.ts). The library has
 * no bound of its own. So its evaluator is made to count here, and a node whose cost depends on its operands burns that cost before it
 * runs: compiling a rule adds this.
 */
import { Environment, type ASTNode, type ParseResult } from '@marcbachmann/cel-js';
import { burn, OutOfFuel } from './pace/fuel.ts';
import { compilePattern } from './pattern.ts';
import { OPERATORS, REPLACED, weighCall, weighKey } from './rule-weight.ts';

type Evaluate = (evaluator: Evaluator, node: LinkedNode, context: unknown) => unknown;
type Handle = (first: unknown, second: unknown, third: unknown, fourth: unknown) => unknown;

/** Members of the library's nodes that its types lack: how a checked node is computed from its operands, and what a macro became. */
interface LinkedNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly alternate?: LinkedNode; readonly macro?: LinkedNode; readonly evaluate: Evaluate };
  handle?: Handle;
  evaluate: Evaluate;
  setMeta(key: 'evaluate', value: (evaluator: Evaluator) => unknown): LinkedNode;
}

interface CelType {
  readonly kind: string;
}

interface Evaluator {
  readonly registry: { getListType(of: CelType): CelType };
  debugType(value: unknown): CelType;
  debugTypeDeep(value: unknown): CelType;
  run(node: LinkedNode, context: unknown): unknown;
  tryEval(node: LinkedNode, context: unknown): unknown;
}

/** How deep lists in lists are distinguished by type: the library keeps each type that it meets for ever. */
const TYPE_DEPTH_MAX = 2;
/** An error after which a rule continues carries an excerpt of its source: about a microsecond without a stack. */
const ERROR_UNITS = 24;

export const environment = ruleEnvironment(['principal', 'row', 'request']);
/** For conditions on a change: the row as it is and as it was, and no caller. */
export const changeEnvironment = ruleEnvironment(['row', 'old']);
meter(evaluatorOf(environment));
meter(evaluatorOf(changeEnvironment));

/** JSON numbers are doubles and CEL literals are ints: every arithmetic operator is registered for the mixed pairs. */
function ruleEnvironment(maps: readonly string[]): Environment {
  const env = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxAstNodes: 1000, maxDepth: 64 },
  }).registerVariable('now', 'google.protobuf.Timestamp');
  for (const name of maps) env.registerVariable(name, 'map');
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

/** The environment shows its evaluator to the nodes that it evaluates alone. */
function evaluatorOf(env: Environment): Evaluator {
  const probe = env.parse('true');
  let shown: Evaluator | undefined;
  (probe.ast as unknown as LinkedNode).setMeta('evaluate', (evaluator) => {
    shown = evaluator;
    return true;
  });
  probe();
  if (shown === undefined)
    throw new Error('the CEL library evaluates nodes in another way than it did: rules are not metered');
  return shown;
}

/** Counts each node that is evaluated. Out of fuel ends the evaluation: operators and comprehensions continue after other errors, not after it. */
function meter(evaluator: Evaluator): void {
  evaluator.run = (node, context) => {
    burn(1);
    return node.evaluate(evaluator, node, context);
  };
  evaluator.tryEval = (node, context) => {
    burn(1);
    try {
      return node.evaluate(evaluator, node, context);
    } catch (error) {
      if (error instanceof OutOfFuel) throw error;
      burn(ERROR_UNITS);
      hideStacks();
      return error;
    }
  };
  evaluator.debugTypeDeep = (value) => typeWithin(evaluator, value, TYPE_DEPTH_MAX);
}

let stackFrames: number | null = null;

/** A rule that continues after an error may meet one for each item of a list, and a stack trace costs ten times the error. */
function hideStacks(): void {
  if (stackFrames !== null) return;
  stackFrames = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

/** To be called when an evaluation has ended. */
export function showStacks(): void {
  if (stackFrames === null) return;
  Error.stackTraceLimit = stackFrames;
  stackFrames = null;
}

/** The type by which operators are chosen. For maps it ignores the types of members: a look at the first key would order all of them. */
function typeWithin(evaluator: Evaluator, value: unknown, depth: number): CelType {
  const type = evaluator.debugType(value);
  if (depth === 0 || !Array.isArray(value) || value.length === 0) return type;
  return evaluator.registry.getListType(typeWithin(evaluator, value[0], depth - 1));
}

/** Makes each node of a checked program burn, before it runs, the cost that its operands give it. */
export function meterProgram({ ast }: ParseResult): void {
  walk(ast, (node) => meterNode(node as unknown as LinkedNode));
}

function meterNode(node: LinkedNode): void {
  const { alternate } = node.meta;
  if (alternate?.op === 'comprehension') meterIterated(alternate);
  if (node.op === 'map') for (const [key] of node.args as readonly (readonly [LinkedNode])[]) meterKey(key);
  const inner = node.handle;
  if (inner === undefined) return;
  if (node.op === 'call') node.handle = meteredCall((node.args as [string])[0], inner, undefined);
  if (node.op === 'rcall') node.handle = meteredMethod(node.args as MethodArgs, inner);
  const weigh = OPERATORS.get(node.op);
  if (weigh === undefined) return;
  node.handle = (left, right, self, evaluator) => {
    weigh(left, right);
    return inner(left, right, self, evaluator);
  };
}

/** The keys of a map that the rule itself makes. A node looks up its evaluator at its first use, and would replace this one with that. */
function meterKey(node: LinkedNode): void {
  const { alternate, macro, evaluate } = node.meta;
  const inner = alternate ?? macro;
  node.evaluate = (evaluator, self, context) => {
    const key = inner === undefined ? evaluate(evaluator, self, context) : inner.evaluate(evaluator, inner, context);
    weighKey(key);
    return key;
  };
}

/** A list is counted by what each item evaluates; the keys of a map are all taken out first. */
function meterIterated(node: LinkedNode): void {
  const inner = node.handle!;
  node.handle = (items, args, evaluator, context) => {
    if (!Array.isArray(items) && typeof items === 'object' && items !== null) burn(Object.keys(items).length);
    return inner(items, args, evaluator, context);
  };
}

type MethodArgs = readonly [name: string, of: LinkedNode, given: readonly LinkedNode[]];

/** A pattern that stands in the rule is compiled once. */
function meteredMethod([name, , [first]]: MethodArgs, inner: Handle): Handle {
  if (name !== 'matches' || first?.op !== 'value' || typeof first.args !== 'string')
    return meteredCall(name, inner, REPLACED.get(name));
  const matches = compilePattern(first.args);
  return meteredCall(name, inner, ([text]) => (typeof text === 'string' ? matches(text) : undefined));
}

type Replaced = ((given: readonly unknown[]) => unknown) | undefined;

function meteredCall(name: string, inner: Handle, replaced: Replaced): Handle {
  return (given, second, third, fourth) => {
    const values = given as readonly unknown[];
    const result = replaced?.(values);
    if (result !== undefined) return result;
    weighCall(name, values);
    return inner(given, second, third, fourth);
  };
}

/** Visits every node below and including `part`, whatever the shape of its arguments. */
export function walk(part: unknown, visit: (node: ASTNode) => void): void {
  if (Array.isArray(part)) for (const item of part) walk(item, visit);
  else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    visit(part as ASTNode);
    walk(part.args, visit);
  }
}
