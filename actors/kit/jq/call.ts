/** Calls: of the program's own functions and filter parameters, then of special forms and builtins. */
import type { Ast } from './ast.ts';
import { BUILTINS } from './builtins.ts';
import type { Compile } from './compiler.ts';
import { Unsure } from './faults.ts';
import { burn } from '../pace/fuel.ts';
import type { Json } from './value.ts';
import { burning, hop, many, noPaths, single, type Closure, type Env, type Node, type RunPaths } from './node.ts';
import { preludeScope } from './prelude.ts';
import { bind, define, findCallee, findCell, type FunctionEntry, type Scope } from './scope.ts';
import { SPECIALS } from './special.ts';

/** Steps from one variable to the one around it. */
const HOPS_PER_UNIT = 16;

type Of<K extends Ast['kind']> = Extract<Ast, { kind: K }>;

export function compileDefinition(ast: Of<'def'>, scope: Scope | null, compile: Compile): Node {
  return compile(ast.rest, define(scope, ast.def));
}

/** `$ENV` is empty: a program sees nothing of the process. */
export function compileVariable(name: string, scope: Scope | null): Node {
  const hops = findCell(scope, 'variable', name);
  if (hops !== null) {
    const units = hops / HOPS_PER_UNIT;
    return single((_input, env) => {
      burn(units);
      return hop(env, hops)!.value as Json;
    }, noPaths);
  }
  if (name === 'ENV') return single(() => ({}), noPaths);
  throw new Unsure(`no variable ${name}`);
}

export function compileCall(ast: Of<'call'>, scope: Scope | null, compile: Compile): Node {
  const { name, args } = ast;
  const callee = findCallee(scope, name, args.length);
  if (callee?.kind === 'filter') return callFilter(callee.hops);
  const nodes = args.map((arg) => compile(arg, scope));
  if (callee !== null) return callFunction(callee.function, callee.hops, nodes, compile);
  const signature = `${name}/${args.length}`;
  const special = SPECIALS.get(signature);
  if (special !== undefined) return burning(special(...nodes));
  const builtin = BUILTINS.get(signature);
  if (builtin !== undefined) return callBuiltin(builtin, nodes);
  const own = findCallee(preludeScope(), name, args.length);
  if (own?.kind === 'function') return callFunction(own.function, null, nodes, compile);
  throw new Unsure(`no builtin ${signature}`);
}

function callFilter(hops: number): Node {
  return many(
    (input, env, emit) => {
      burn(1 + hops / HOPS_PER_UNIT);
      const { node, env: own } = hop(env, hops)!.value as Closure;
      node.run(input, own, emit);
    },
    (input, path, env, emit) => {
      burn(1 + hops / HOPS_PER_UNIT);
      const { node, env: own } = hop(env, hops)!.value as Closure;
      node.paths(input, path, own, emit);
    },
  );
}

/** The last argument is the outermost loop. */
function callBuiltin(builtin: (input: Json, ...args: Json[]) => Json, args: readonly Node[]): Node {
  const [first, second] = args;
  if (first === undefined) return burning(single((input) => builtin(input), noPaths));
  const ones = args.map((arg) => arg.one);
  const [one] = ones;
  if (second === undefined && one != null)
    return burning(single((input, env) => builtin(input, one(input, env)), noPaths));
  const loop = (at: number, given: readonly Json[], input: Json, env: Env | null, emit: (v: Json) => void): void => {
    burn(1);
    if (at < 0) return emit(builtin(input, ...given));
    args[at]!.run(input, env, (value) => loop(at - 1, [value, ...given], input, env, emit));
  };
  return many((input, env, emit) => loop(args.length - 1, [], input, env, emit), noPaths);
}

/** `hops`: cells between the call and the definition; null for definitions of the prelude, which stand below everything. */
function callFunction(entry: FunctionEntry, hops: number | null, args: readonly Node[], compile: Compile): Node {
  const body = bodyOf(entry, compile);
  const { params } = entry.def;
  const enter = (env: Env | null): Env | null => {
    burn(1 + args.length + (hops ?? 0) / HOPS_PER_UNIT);
    let up = hops === null ? null : hop(env, hops);
    for (const node of args) up = { up, value: { node, env } };
    return up;
  };
  const values = args.filter((_, at) => params[at]!.isValue);
  const withValues = (
    at: number,
    inner: Env | null,
    input: Json,
    env: Env | null,
    then: (inner: Env | null) => void,
  ): void => {
    const node = values[at];
    if (node === undefined) return then(inner);
    node.run(input, env, (value) => withValues(at + 1, { up: inner, value }, input, env, then));
  };
  const paths: RunPaths = (input, path, env, emit) =>
    withValues(0, enter(env), input, env, (inner) => body.paths(input, path, inner, emit));
  const bodyOne = body.one;
  if (values.length === 0 && bodyOne !== null) return single((input, env) => bodyOne(input, enter(env)), paths);
  if (values.length === 0) return many((input, env, emit) => body.run(input, enter(env), emit), paths);
  return many(
    (input, env, emit) => withValues(0, enter(env), input, env, (inner) => body.run(input, inner, emit)),
    paths,
  );
}

/** The compiled body; while it is being compiled, calls of itself go through a node that waits for it. */
function bodyOf(entry: FunctionEntry, compile: Compile): Node {
  if (entry.node !== null) return entry.node;
  let compiled: Node | null = null;
  entry.node = many(
    (input, env, emit) => compiled!.run(input, env, emit),
    (input, path, env, emit) => compiled!.paths(input, path, env, emit),
  );
  let scope = entry.scope;
  for (const { name } of entry.def.params) scope = bind(scope, 'filter', name);
  for (const { name, isValue } of entry.def.params) if (isValue) scope = bind(scope, 'variable', name);
  try {
    compiled = compile(entry.def.body, scope);
  } catch (error) {
    entry.node = null;
    throw error;
  }
  return (entry.node = compiled);
}
