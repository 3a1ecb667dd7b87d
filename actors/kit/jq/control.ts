/** Control structures: conditions, errors, loops, bindings, labels. */
import { index } from './access.ts';
import type { Ast, Pattern } from './ast.ts';
import type { Compile } from './compiler.ts';
import { Break, JqError, Unsure } from './faults.ts';
import { burn } from '../pace/fuel.ts';
import { isTrue } from './json.ts';
import type { Json } from './value.ts';
import { hop, many, noPaths, single, type Emit, type Env, type Node, type Run, type RunPaths } from './node.ts';
import { bind, findCell, type Scope } from './scope.ts';

type Of<K extends Ast['kind']> = Extract<Ast, { kind: K }>;

export function compileCondition(ast: Of<'if'>, scope: Scope | null, compile: Compile, identity: Node): Node {
  const condition = compile(ast.condition, scope);
  const then = compile(ast.yes, scope);
  const otherwise = ast.no === null ? identity : compile(ast.no, scope);
  const paths: RunPaths = (input, path, env, emit) =>
    condition.run(input, env, (value) => (isTrue(value) ? then : otherwise).paths(input, path, env, emit));
  const one = condition.one;
  if (one === null)
    return many(
      (input, env, emit) =>
        condition.run(input, env, (value) => (isTrue(value) ? then : otherwise).run(input, env, emit)),
      paths,
    );
  const thenOne = then.one;
  const otherwiseOne = otherwise.one;
  if (thenOne !== null && otherwiseOne !== null)
    return single((input, env) => (isTrue(one(input, env)) ? thenOne(input, env) : otherwiseOne(input, env)), paths);
  return many((input, env, emit) => (isTrue(one(input, env)) ? then : otherwise).run(input, env, emit), paths);
}

export function compileLogic(kind: 'and' | 'or', left: Node, right: Node): Node {
  const decides = kind === 'or';
  const leftOne = left.one;
  const rightOne = right.one;
  if (leftOne !== null && rightOne !== null)
    return single(
      (input, env) => (isTrue(leftOne(input, env)) === decides ? decides : isTrue(rightOne(input, env))),
      noPaths,
    );
  return many((input, env, emit) => {
    left.run(input, env, (a) => {
      if (isTrue(a) === decides) emit(decides);
      else right.run(input, env, (b) => emit(isTrue(b)));
    });
  }, noPaths);
}

/** `a // b`: the true results of `a`, or those of `b` when there is none. */
export function compileAlternative(left: Node, right: Node): Node {
  const paths: RunPaths = (input, path, env, emit) => {
    let found = false;
    left.paths(input, path, env, (value, at) => {
      if (!isTrue(value)) return;
      found = true;
      emit(value, at);
    });
    if (!found) right.paths(input, path, env, emit);
  };
  const leftOne = left.one;
  const rightOne = right.one;
  if (leftOne !== null && rightOne !== null)
    return single((input, env) => {
      const value = leftOne(input, env);
      return isTrue(value) ? value : rightOne(input, env);
    }, paths);
  const run: Run = (input, env, emit) => {
    let found = false;
    guarded(
      (pass) =>
        left.run(input, env, (value) => {
          if (!isTrue(value)) return;
          found = true;
          pass(() => emit(value));
        }),
      () => {
        throw new Unsure('an error beside alternatives');
      },
    );
    if (!found) right.run(input, env, emit);
  };
  return many(run, paths);
}

/**
 * Runs `body`; what it raises goes to `caught`, but not what the consumers of its results raise (`pass`): they are outside of it.
 */
function guarded(body: (pass: (deliver: () => void) => void) => void, caught: (error: JqError) => void): void {
  let passed: unknown;
  let raised: JqError;
  try {
    body((deliver) => {
      try {
        deliver();
      } catch (error) {
        passed = error;
        throw error;
      }
    });
    return;
  } catch (error) {
    if (!(error instanceof JqError) || error === passed) throw error;
    raised = error;
  }
  caught(raised);
}

/** `try body catch handler`, and `body?`. */
export function compileTry(body: Node, handler: Node | null): Node {
  const one = body.one;
  const run: Run =
    one === null
      ? (input, env, emit) =>
          guarded(
            (pass) => body.run(input, env, (value) => pass(() => emit(value))),
            (error) => handler?.run(error.value, env, emit),
          )
      : (input, env, emit) => {
          let value: Json;
          try {
            value = one(input, env);
          } catch (error) {
            if (!(error instanceof JqError)) throw error;
            handler?.run(error.value, env, emit);
            return;
          }
          emit(value);
        };
  return many(run, (input, path, env, emit) =>
    guarded(
      (pass) => body.paths(input, path, env, (value, at) => pass(() => emit(value, at))),
      () => {
        if (handler !== null) throw new Unsure('a path out of a handler');
      },
    ),
  );
}

/** Names that a pattern binds, in the order of their cells: an array is taken apart from its end. */
function variablesOf(pattern: Pattern): string[] {
  if (pattern.kind === 'variable') return [pattern.name];
  if (pattern.kind === 'array') return pattern.items.toReversed().flatMap(variablesOf);
  return pattern.entries.flatMap(({ binds, pattern: inner }) => [
    ...(binds === null ? [] : [binds]),
    ...(inner === null ? [] : variablesOf(inner)),
  ]);
}

type Destructure = (value: Json, env: Env | null) => Env | null;

interface Bound {
  readonly scope: Scope | null;
  readonly bindTo: Destructure;
}

/** The scope and the function that a pattern makes. */
function compilePattern(pattern: Pattern, scope: Scope | null): Bound {
  const names = variablesOf(pattern);
  if (new Set(names).size < names.length) throw new Unsure('a pattern that binds a name twice');
  let inner = scope;
  for (const name of names) inner = bind(inner, 'variable', name);
  return { scope: inner, bindTo: destructure(pattern) };
}

function destructure(pattern: Pattern): Destructure {
  if (pattern.kind === 'variable') return (value, up) => ({ up, value });
  if (pattern.kind === 'array') {
    const items = pattern.items.map(destructure);
    return (value, env) => items.reduceRight((up, item, at) => item(index(value, at), up), env);
  }
  const entries = pattern.entries.map(({ key, binds, pattern: inner }) => {
    if (key.kind !== 'literal' || typeof key.value !== 'string') throw new Unsure('a calculated key in a pattern');
    return { key: key.value, binds: binds !== null, inner: inner === null ? null : destructure(inner) };
  });
  return (value, env) => {
    let up = env;
    for (const { key, binds, inner } of entries) {
      const member = index(value, key);
      if (binds) up = { up, value: member };
      if (inner !== null) up = inner(member, up);
    }
    return up;
  };
}

/** `source as pattern | body`. */
export function compileBinding(ast: Of<'as'>, scope: Scope | null, compile: Compile): Node {
  const source = compile(ast.source, scope);
  const { scope: inner, bindTo } = compilePattern(ast.pattern, scope);
  const body = compile(ast.body, inner);
  const paths: RunPaths = (input, path, env, emit) =>
    source.run(input, env, (value) => body.paths(input, path, bindTo(value, env), emit));
  const sourceOne = source.one;
  const bodyOne = body.one;
  if (sourceOne !== null && bodyOne !== null)
    return single((input, env) => bodyOne(input, bindTo(sourceOne(input, env), env)), paths);
  return many(
    (input, env, emit) => source.run(input, env, (value) => body.run(input, bindTo(value, env), emit)),
    paths,
  );
}

/** `reduce`: the last result of each update is the next state, null when it gives none. */
export function compileReduce(ast: Of<'reduce'>, scope: Scope | null, compile: Compile): Node {
  const source = compile(ast.source, scope);
  const init = compile(ast.init, scope);
  const { scope: inner, bindTo } = compilePattern(ast.pattern, scope);
  const update = compile(ast.update, inner);
  const updateOne = update.one;
  const reduce = (start: Json, input: Json, env: Env | null): Json => {
    let state = start;
    source.run(input, env, (value) => {
      burn(1);
      const bound = bindTo(value, env);
      if (updateOne !== null) {
        state = updateOne(state, bound);
        return;
      }
      const before = state;
      state = null;
      update.run(before, bound, (next) => void (state = next));
    });
    return state;
  };
  const initOne = init.one;
  if (initOne !== null) return single((input, env) => reduce(initOne(input, env), input, env), noPaths);
  return many((input, env, emit) => init.run(input, env, (start) => emit(reduce(start, input, env))), noPaths);
}

/** `foreach`: each result of an update is the next state and is shown. */
export function compileForeach(ast: Of<'foreach'>, scope: Scope | null, compile: Compile, identity: Node): Node {
  const source = compile(ast.source, scope);
  const init = compile(ast.init, scope);
  const { scope: inner, bindTo } = compilePattern(ast.pattern, scope);
  const update = compile(ast.update, inner);
  const extract = ast.extract === null ? identity : compile(ast.extract, inner);
  const loop = (start: Json, input: Json, env: Env | null, emit: Emit): void => {
    let state = start;
    source.run(input, env, (value) => {
      burn(1);
      const bound = bindTo(value, env);
      // As with reduce: an update without a result leaves null.
      const before = state;
      state = null;
      update.run(before, bound, (next) => {
        state = next;
        extract.run(next, bound, emit);
      });
    });
  };
  return many((input, env, emit) => init.run(input, env, (start) => loop(start, input, env, emit)), noPaths);
}

export function compileLabel(ast: Of<'label'>, scope: Scope | null, compile: Compile): Node {
  const body = compile(ast.body, bind(scope, 'label', ast.name));
  const within = (run: (env: Env) => void, up: Env | null): void => {
    const label = new Break();
    try {
      run({ up, value: label });
    } catch (error) {
      if (error !== label) throw error;
    }
  };
  return many(
    (input, env, emit) => within((inner) => body.run(input, inner, emit), env),
    (input, path, env, emit) => within((inner) => body.paths(input, path, inner, emit), env),
  );
}

export function compileBreak(name: string, scope: Scope | null): Node {
  const hops = findCell(scope, 'label', name);
  if (hops === null) throw new Unsure(`no label ${name}`);
  const leave = (env: Env | null): never => {
    throw hop(env, hops)!.value as Break;
  };
  return many(
    (_input, env) => leave(env),
    (_input, _path, env) => leave(env),
  );
}
