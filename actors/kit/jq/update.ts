/** The assignments (jq manual, "Assignment"): the left side is a set of paths of the input. */
import { deletePaths, getPath, updatePath } from './access.ts';
import { OPERATORS } from './arithmetic.ts';
import type { BinaryOperator, UpdateOperator } from './ast.ts';
import { burn } from '../pace/fuel.ts';
import { isTrue } from './json.ts';
import type { Json } from './value.ts';
import { many, noPaths, pathOf, single, type Env, type Node } from './node.ts';
import { firstOf } from './special.ts';

type Change = (old: Json, given: Json) => Json;

export function compileUpdate(op: UpdateOperator, left: Node, right: Node): Node {
  if (op === '|=') return single((input, env) => modify(left, right, input, env), noPaths);
  const change = changeOf(op);
  return many(
    (input, env, emit) => right.run(input, env, (given) => emit(assign(left, input, env, (old) => change(old, given)))),
    noPaths,
  );
}

function changeOf(op: Exclude<UpdateOperator, '|='>): Change {
  if (op === '=') return (_old, given) => given;
  if (op === '//=') return (old, given) => (isTrue(old) ? old : given);
  return OPERATORS[op.slice(0, -1) as BinaryOperator];
}

function assign(left: Node, input: Json, env: Env | null, change: (old: Json) => Json): Json {
  let state = input;
  left.paths(input, null, env, (_value, path) => {
    burn(1);
    state = updatePath(state, pathOf(path), change);
  });
  return state;
}

/** The first result of `right` takes the old value's place; without a result the place is deleted. */
function modify(left: Node, right: Node, input: Json, env: Env | null): Json {
  let state = input;
  const gone: Json[] = [];
  left.paths(input, null, env, (_value, path) => {
    burn(1);
    const keys = pathOf(path);
    const next = firstOf(right, getPath(state, keys), env);
    if (next === undefined) gone.push(keys);
    else state = updatePath(state, keys, () => next);
  });
  return gone.length === 0 ? state : deletePaths(state, gone);
}
