/** From the tree to closures: one function for each kind of node. Control structures are in control.ts, calls in call.ts. */
import { index, iterate, slice } from './access.ts';
import { OPERATORS } from './arithmetic.ts';
import type { Ast } from './ast.ts';
import { compileCall, compileDefinition, compileVariable } from './call.ts';
import type { Compile } from './compiler.ts';
import {
  compileAlternative,
  compileBinding,
  compileBreak,
  compileCondition,
  compileForeach,
  compileLabel,
  compileLogic,
  compileReduce,
  compileTry,
} from './control.ts';
import { JqError, Unsure } from './faults.ts';
import { formatOf } from './format.ts';
import { burn } from '../pace/fuel.ts';
import { checkKey, isArray, isObject } from './json.ts';
import type { Json } from './value.ts';
import { burning, collect, many, noPaths, single } from './node.ts';
import type { Emit, Env, Node, Run, RunOne, RunPaths } from './node.ts';
import type { Scope } from './scope.ts';
import { isConstant } from './steps.ts';
import { describe, payText, plainText } from './text.ts';
import { compileUpdate } from './update.ts';

const identity: Node = single(
  (input) => input,
  (input, path, _env, emit) => emit(input, path),
);

export const compile: Compile = (ast, scope) => {
  switch (ast.kind) {
    case 'identity':
      return identity;
    case 'recurse':
      return recurse;
    case 'literal':
      return constant(literalOf(ast));
    case 'location':
      return constant({ file: '<top-level>', line: ast.line });
    case 'string':
      return compileString(ast, scope);
    case 'format': {
      const format = formatOf(ast.name);
      return burning(single((input) => format(input), noPaths));
    }
    case 'index':
      return compileIndex(ast, scope);
    case 'slice':
      return compileSlice(ast, scope);
    case 'iterate':
      return compileIterate(compile(ast.target, scope), ast.quiet === true);
    case 'array':
      return compileArray(ast.body === null ? null : compile(ast.body, scope));
    case 'object':
      return compileObject(ast, scope);
    case 'negate':
      return mapped(compile(ast.body, scope), negate);
    case 'pipe':
      return compilePipe(compile(ast.left, scope), compile(ast.right, scope));
    case 'comma':
      return compileComma(compile(ast.left, scope), compile(ast.right, scope));
    case 'binary':
      return compileBinary(ast, scope);
    case 'and':
    case 'or':
      return burning(compileLogic(ast.kind, compile(ast.left, scope), compile(ast.right, scope)));
    case 'alternative':
      return burning(compileAlternative(compile(ast.left, scope), compile(ast.right, scope)));
    case 'update':
      return burning(compileUpdate(ast.op, compile(ast.left, scope), compile(ast.right, scope)));
    case 'if':
      return burning(compileCondition(ast, scope, compile, identity));
    case 'try':
      return burning(compileTry(compile(ast.body, scope), ast.handler === null ? null : compile(ast.handler, scope)));
    case 'reduce':
      return burning(compileReduce(ast, scope, compile));
    case 'foreach':
      return burning(compileForeach(ast, scope, compile, identity));
    case 'as':
      return burning(compileBinding(ast, scope, compile));
    case 'label':
      return burning(compileLabel(ast, scope, compile));
    case 'break':
      return compileBreak(ast.name, scope);
    case 'def':
      return compileDefinition(ast, scope, compile);
    case 'call':
      return compileCall(ast, scope, compile);
    case 'variable':
      return compileVariable(ast.name, scope);
  }
};

function constant(value: Json): Node {
  return single(() => value, noPaths);
}

/** jq shows a literal as it is spelt: the reference tier does that, unless the spelling is the usual one. */
function literalOf({ value, text }: Extract<Ast, { kind: 'literal' }>): Json {
  if (text !== undefined && JSON.stringify(value) !== text) throw new Unsure('the spelling of a number');
  return value;
}

const DIGITS_MAX = 15;

function compileBinary({ op, left, right }: Extract<Ast, { kind: 'binary' }>, scope: Scope | null): Node {
  const calculate = OPERATORS[op];
  const a = operand(left, scope);
  const b = operand(right, scope);
  if (isUsual(left) && isUsual(right)) return binary(calculate, a, b);
  const numbersOnly = (x: Json, y: Json): Json => {
    if (typeof x === 'number' && typeof y === 'number') return calculate(x, y);
    throw new Unsure('the spelling of a number');
  };
  return binary(numbersOnly, a, b);
}

function isUsual(ast: Ast): boolean {
  return ast.kind !== 'literal' || ast.text === undefined || JSON.stringify(ast.value) === ast.text;
}

/** The spelling of an operand is lost in the calculation, unless a message shows it. */
function operand(ast: Ast, scope: Scope | null): Node {
  if (ast.kind !== 'literal' || ast.text === undefined) return compile(ast, scope);
  const isExact = ast.text.length <= DIGITS_MAX && /^\d+(\.\d+)?$/.test(ast.text);
  return isExact ? constant(ast.value) : compile(ast, scope);
}

/** `f` of each result. */
function mapped(node: Node, f: (value: Json) => Json): Node {
  const { one, run } = node;
  if (one !== null)
    return single((input, env) => {
      burn(1);
      return f(one(input, env));
    }, noPaths);
  return many(
    (input, env, emit) =>
      run(input, env, (value) => {
        burn(1);
        emit(f(value));
      }),
    noPaths,
  );
}

function negate(value: Json): Json {
  if (typeof value === 'number') return -value;
  throw new JqError(`${describe(value)} cannot be negated`);
}

/** The right operand is the outer loop. */
function binary(f: (a: Json, b: Json) => Json, left: Node, right: Node): Node {
  const leftOne = left.one;
  const rightOne = right.one;
  if (leftOne !== null && rightOne !== null)
    return single((input, env) => {
      burn(1);
      const b = rightOne(input, env);
      return f(leftOne(input, env), b);
    }, noPaths);
  const run: Run = (input, env, emit) => {
    burn(1);
    right.run(input, env, (b) =>
      left.run(input, env, (a) => {
        burn(1);
        emit(f(a, b));
      }),
    );
  };
  return many(run, noPaths);
}

function compilePipe(left: Node, right: Node): Node {
  const paths: RunPaths = (input, path, env, emit) => {
    burn(1);
    left.paths(input, path, env, (value, at) => right.paths(value, at, env, emit));
  };
  const leftOne = left.one;
  const rightOne = right.one;
  if (leftOne === null || rightOne === null) return many(pipeMany(left, right), paths);
  return single((input, env) => {
    burn(1);
    return rightOne(leftOne(input, env), env);
  }, paths);
}

/** For two nodes of which one may have several results, or none. */
function pipeMany(left: Node, right: Node): Run {
  const leftOne = left.one;
  const rightOne = right.one;
  if (leftOne !== null)
    return (input, env, emit) => {
      burn(1);
      right.run(leftOne(input, env), env, emit);
    };
  const each: (value: Json, env: Env | null, emit: Emit) => void =
    rightOne === null ? right.run : (value, env, emit) => emit(rightOne(value, env));
  return (input, env, emit) => {
    burn(1);
    left.run(input, env, (value) => each(value, env, emit));
  };
}

function compileComma(left: Node, right: Node): Node {
  return many(
    (input, env, emit) => {
      burn(1);
      left.run(input, env, emit);
      right.run(input, env, emit);
    },
    (input, path, env, emit) => {
      burn(1);
      left.paths(input, path, env, emit);
      right.paths(input, path, env, emit);
    },
  );
}

/** The key is the outer loop, and is asked of the input, not of the target. */
function compileIndex(ast: Extract<Ast, { kind: 'index' }>, scope: Scope | null): Node {
  const target = compile(ast.target, scope);
  const key = compile(ast.key, scope);
  const paths: RunPaths = (input, path, env, emit) =>
    key.run(input, env, (at) => target.paths(input, path, env, (value, up) => emit(index(value, at), { up, key: at })));
  if (ast.quiet === true) return burning(quietIndex(target, key));
  if (ast.key.kind === 'literal') return { ...mapped(target, byConstant(ast.key.value)), paths };
  return { ...binary(index, target, key), paths };
}

/** `.a?`: a value that cannot be indexed gives nothing; errors of the target and of the key stay errors. */
function quietIndex(target: Node, key: Node): Node {
  return many(
    (input, env, emit) =>
      key.run(input, env, (at) => target.run(input, env, (value) => unlessFailing(() => index(value, at), emit))),
    (input, path, env, emit) =>
      key.run(input, env, (at) =>
        target.paths(input, path, env, (value, up) =>
          unlessFailing(
            () => index(value, at),
            (item) => emit(item, { up, key: at }),
          ),
        ),
      ),
  );
}

function unlessFailing(make: () => Json, then: (value: Json) => void): void {
  let value: Json;
  try {
    value = make();
  } catch (error) {
    if (error instanceof JqError) return;
    throw error;
  }
  then(value);
}

function byConstant(key: Json): (value: Json) => Json {
  if (typeof key !== 'string') return (value) => index(value, key);
  return (value) => {
    if (isObject(value)) return Object.hasOwn(value, key) ? value[key]! : null;
    return index(value, key);
  };
}

/** `from` is the outer loop, then `to`, then the target. */
function compileSlice(ast: Extract<Ast, { kind: 'slice' }>, scope: Scope | null): Node {
  if (ast.quiet === true) throw new Unsure('a quiet slice');
  const target = compile(ast.target, scope);
  const absent = constant(null);
  const from = ast.from === null ? absent : compile(ast.from, scope);
  const to = ast.to === null ? absent : compile(ast.to, scope);
  return many(
    (input, env, emit) =>
      from.run(input, env, (start) =>
        to.run(input, env, (end) => target.run(input, env, (value) => emit(slice(value, start, end)))),
      ),
    (input, path, env, emit) =>
      from.run(input, env, (start) =>
        to.run(input, env, (end) =>
          target.paths(input, path, env, (value, up) => emit(slice(value, start, end), { up, key: { start, end } })),
        ),
      ),
  );
}

/** `quiet`: a value without members gives nothing. */
function compileIterate(target: Node, quiet: boolean): Node {
  const each: typeof iterate = quiet
    ? (value, emit) => {
        if (typeof value === 'object' && value !== null) iterate(value, emit);
      }
    : iterate;
  const paths: RunPaths = (input, path, env, emit) =>
    target.paths(input, path, env, (value, up) => each(value, (item, key) => emit(item, { up, key })));
  return many((input, env, emit) => target.run(input, env, (value) => each(value, emit)), paths);
}

/** `..`: the value and everything in it. */
const recurse: Node = many(
  (input, _env, emit) => descend(input, null, emit),
  (input, path, _env, emit) => descend(input, path, emit),
);

function descend(value: Json, path: Parameters<RunPaths>[1], emit: Parameters<RunPaths>[3]): void {
  burn(1);
  emit(value, path);
  if (isArray(value) || isObject(value)) iterate(value, (item, key) => descend(item, { up: path, key }, emit));
}

function compileArray(body: Node | null): Node {
  if (body === null) return constant([]);
  return single((input, env) => collect(body, input, env), noPaths);
}

type Entry = readonly [key: Node, value: Node];

/** The first entry is the outermost loop. */
function compileObject(ast: Extract<Ast, { kind: 'object' }>, scope: Scope | null): Node {
  for (const { key } of ast.entries)
    if (isConstant(key) && key.kind !== 'literal') throw new Unsure('a constant as a key');
  const entries: Entry[] = ast.entries.map(({ key, value }) => [compile(key, scope), compile(value, scope)]);
  if (ast.entries.every(({ key }) => key.kind === 'literal') && entries.every(([, value]) => value.one !== null)) {
    const keys = ast.entries.map(({ key }) => keyText((key as { value: Json }).value));
    return single(
      plainObject(
        keys,
        entries.map(([, value]) => value.one!),
      ),
      noPaths,
    );
  }
  const build = (
    at: number,
    object: Readonly<Record<string, Json>>,
    input: Json,
    env: Env | null,
    emit: (v: Json) => void,
  ): void => {
    burn(at + 1);
    const entry = entries[at];
    if (entry === undefined) return emit(object);
    const [key, value] = entry;
    key.run(input, env, (name) =>
      value.run(input, env, (item) => build(at + 1, { ...object, [keyText(name)]: item }, input, env, emit)),
    );
  };
  return many((input, env, emit) => build(0, {}, input, env, emit), noPaths);
}

function plainObject(keys: readonly string[], values: readonly RunOne[]): RunOne {
  return (input, env) => {
    burn(1 + keys.length);
    const object: Record<string, Json> = {};
    for (let i = 0; i < keys.length; i++) object[keys[i]!] = values[i]!(input, env);
    return object;
  };
}

function keyText(key: Json): string {
  if (typeof key !== 'string') throw new Unsure('a key that is no text');
  return checkKey(key);
}

/** Each interpolation is text in its format; the last is the outermost loop, as with `+`. */
function compileString(ast: Extract<Ast, { kind: 'string' }>, scope: Scope | null): Node {
  const format = ast.format === null ? plainText : formatOf(ast.format);
  const parts = ast.parts.map((part) =>
    typeof part === 'string' ? constant(part) : mapped(compile(part, scope), format),
  );
  const join = (a: Json, b: Json): Json => {
    payText((a as string).length + (b as string).length);
    return (a as string) + (b as string);
  };
  return parts.reduce((left, right) => binary(join, left, right));
}
