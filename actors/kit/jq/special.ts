/** Builtins that take filters rather than values, and those with more or fewer results than one. */
import { deletePaths, getPath } from './access.ts';
import { add } from './arithmetic.ts';
import { Break, JqError, Unsure } from './faults.ts';
import { burn } from '../pace/fuel.ts';
import { compare, equals, isArray, isTrue } from './json.ts';
import type { Json } from './value.ts';
import { CAPTURE, MATCH, SCAN, splitBy, substitute } from './regex-special.ts';
import { collect, many, noPaths, pathOf, single, type Env, type Node, type Path, type RunPaths } from './node.ts';

type Special = (...args: readonly Node[]) => Node;

/** Runs something that leaves by the label it is given. */
function leaving(run: (label: Break) => void): void {
  const label = new Break();
  try {
    run(label);
  } catch (error) {
    if (error !== label) throw error;
  }
}

/** The first result, undefined when there is none. */
export function firstOf(node: Node, input: Json, env: Env | null): Json | undefined {
  if (node.one !== null) return node.one(input, env);
  let found: Json | undefined;
  leaving((label) =>
    node.run(input, env, (value) => {
      found = value;
      throw label;
    }),
  );
  return found;
}

const empty: Node = many(
  () => undefined,
  () => undefined,
);

function select(condition: Node): Node {
  const { one } = condition;
  const paths: RunPaths = (input, path, env, emit) =>
    condition.run(input, env, (value) => {
      if (isTrue(value)) emit(input, path);
    });
  if (one === null)
    return many(
      (input, env, emit) =>
        condition.run(input, env, (value) => {
          if (isTrue(value)) emit(input);
        }),
      paths,
    );
  return many((input, env, emit) => {
    if (isTrue(one(input, env))) emit(input);
  }, paths);
}

/** `[.[] | f]`. */
function map(f: Node): Node {
  return single((input, env) => {
    const out: Json[] = [];
    const { one } = f;
    const push = (value: Json): void => {
      burn(1);
      out.push(value);
    };
    eachMember(input, (item) => {
      if (one !== null) out.push(one(item, env));
      else f.run(item, env, push);
    });
    return out;
  }, noPaths);
}

function eachMember(value: Json, then: (item: Json) => void): void {
  if (typeof value !== 'object' || value === null) throw new Unsure('members of another kind');
  for (const item of isArray(value) ? value : Object.values(value)) {
    burn(1);
    then(item);
  }
}

function first(f: Node): Node {
  return many(
    (input, env, emit) => {
      const found = firstOf(f, input, env);
      if (found !== undefined) emit(found);
    },
    (input, path, env, emit) => {
      let found: readonly [Json, Path | null] | undefined;
      leaving((label) =>
        f.paths(input, path, env, (value, at) => {
          found = [value, at];
          throw label;
        }),
      );
      if (found !== undefined) emit(...found);
    },
  );
}

function limit(count: Node, f: Node): Node {
  return many(
    (input, env, emit) =>
      count.run(input, env, (most) =>
        limited(most, (deliver) => f.run(input, env, (value) => deliver(() => emit(value)))),
      ),
    (input, path, env, emit) =>
      count.run(input, env, (most) =>
        limited(most, (deliver) => f.paths(input, path, env, (value, at) => deliver(() => emit(value, at)))),
      ),
  );
}

/** Lets the first `most` deliveries through; the last one after its source has been left. */
function limited(most: Json, run: (deliver: (send: () => void) => void) => void): void {
  if (typeof most !== 'number' || Number.isNaN(most)) throw new Unsure('a limit that is no number');
  if (most < 0) throw new JqError("limit doesn't support negative count");
  if (most === 0) return;
  let seen = 0;
  let last: (() => void) | undefined;
  leaving((label) =>
    run((send) => {
      seen++;
      if (seen < most) return send();
      last = send;
      throw label;
    }),
  );
  last?.();
}

function isEmpty(f: Node): Node {
  return single((input, env) => firstOf(f, input, env) === undefined, noPaths);
}

/** Whether some result of `items` satisfies `condition` (or, for `all`, none fails it); it stops at the first that decides. */
function quantifier(wanted: boolean, items: Node, condition: Node): Node {
  return single((input, env) => {
    let found = false;
    leaving((label) =>
      items.run(input, env, (item) =>
        condition.run(item, env, (value) => {
          if (isTrue(value) !== wanted) return;
          found = true;
          throw label;
        }),
      ),
    );
    return found === wanted;
  }, noPaths);
}

const members: Node = many((input, _env, emit) => eachMember(input, emit), noPaths);
const itself: Node = single((input) => input, noPaths);

function range(from: Node, to: Node, by: Node | null): Node {
  return many(
    (input, env, emit) =>
      from.run(input, env, (start) =>
        to.run(input, env, (end) => {
          if (by === null) count(start, end, 1, emit);
          else by.run(input, env, (step) => count(start, end, step, emit));
        }),
      ),
    noPaths,
  );
}

function count(from: Json, to: Json, by: Json, emit: (value: Json) => void): void {
  if (!isFinite(from) || typeof to !== 'number' || !isFinite(by)) throw new Unsure('a range of another kind');
  for (let at = from; by > 0 ? at < to : by < 0 && at > to; at += by) {
    burn(1);
    emit(at);
  }
}

function isFinite(value: Json): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

const zero: Node = single(() => 0, noPaths);

function path(f: Node): Node {
  return many((input, env, emit) => f.paths(input, null, env, (_value, at) => emit(pathOf(at))), noPaths);
}

function getpath(path: Node): Node {
  return many(
    (input, env, emit) => path.run(input, env, (keys) => emit(getPath(input, keysOf(keys)))),
    (input, up, env, emit) =>
      path.run(input, env, (keys) =>
        emit(
          getPath(input, keysOf(keys)),
          keysOf(keys).reduce<Path | null>((at, key) => ({ up: at, key }), up),
        ),
      ),
  );
}

export function keysOf(path: Json): readonly Json[] {
  if (isArray(path)) {
    burn(path.length);
    return path;
  }
  throw new Unsure('a path that is no array');
}

function del(f: Node): Node {
  return single((input, env) => {
    const paths: Json[] = [];
    f.paths(input, null, env, (_value, at) => {
      burn(1);
      paths.push(pathOf(at));
    });
    return deletePaths(input, paths);
  }, noPaths);
}

function error(message: Node): Node {
  const raise = (value: Json): never => {
    throw new JqError(value);
  };
  return many(
    (input, env) => message.run(input, env, raise),
    (input, _path, env) => message.run(input, env, raise),
  );
}

type Keyed = readonly [key: Json, item: Json];

/** Each item of an array with all results of `f` as its key. */
function keyed(f: Node, input: Json, env: Env | null): Keyed[] {
  if (!isArray(input)) throw new Unsure('what is no array');
  burn(input.length * 4);
  return input.map((item) => [collect(f, item, env), item]);
}

const byKey = (a: Keyed, b: Keyed): number => compare(a[0], b[0]);

function sortBy(f: Node): Node {
  return single(
    (input, env) =>
      keyed(f, input, env)
        .sort(byKey)
        .map(([, item]) => item),
    noPaths,
  );
}

function groups(f: Node, input: Json, env: Env | null): Json[][] {
  const out: Json[][] = [];
  let before: Json | undefined;
  for (const [key, item] of keyed(f, input, env).sort(byKey)) {
    if (before !== undefined && equals(before, key)) out.at(-1)!.push(item);
    else out.push([item]);
    before = key;
  }
  return out;
}

/** The least item is the first of its equals, the greatest the last. */
function extreme(isLeast: boolean, f: Node): Node {
  return single((input, env) => {
    let best: Keyed | undefined;
    for (const item of keyed(f, input, env))
      if (best === undefined || compare(item[0], best[0]) < 0 === isLeast) best = item;
    return best === undefined ? null : best[1];
  }, noPaths);
}

function addAll(f: Node): Node {
  return single((input, env) => {
    let sum: Json = null;
    f.run(input, env, (value) => void (sum = add(sum, value)));
    return sum;
  }, noPaths);
}

/** By name and number of arguments. */
export const SPECIALS: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['empty/0', () => empty],
  ['error/0', () => error(itself)],
  ['error/1', (message) => error(message)],
  ['select/1', (condition) => select(condition)],
  ['map/1', (f) => map(f)],
  ['first/1', (f) => first(f)],
  ['limit/2', (most, f) => limit(most, f)],
  ['isempty/1', (f) => isEmpty(f)],
  ['any/0', () => quantifier(true, members, itself)],
  ['any/1', (condition) => quantifier(true, members, condition)],
  ['any/2', (items, condition) => quantifier(true, items, condition)],
  ['all/0', () => quantifier(false, members, itself)],
  ['all/1', (condition) => quantifier(false, members, condition)],
  ['all/2', (items, condition) => quantifier(false, items, condition)],
  ['range/1', (to) => range(zero, to, null)],
  ['range/2', (from, to) => range(from, to, null)],
  ['range/3', (from, to, by) => range(from, to, by)],
  ['path/1', (f) => path(f)],
  ['getpath/1', (keys) => getpath(keys)],
  ['del/1', (f) => del(f)],
  ['sort_by/1', (f) => sortBy(f)],
  ['group_by/1', (f) => single((input, env) => groups(f, input, env), noPaths)],
  ['unique_by/1', (f) => single((input, env) => groups(f, input, env).map((group) => group[0]!), noPaths)],
  ['min_by/1', (f) => extreme(true, f)],
  ['max_by/1', (f) => extreme(false, f)],
  ['match/1', (pattern) => MATCH(pattern)],
  ['match/2', (pattern, flags) => MATCH(pattern, flags)],
  ['capture/1', (pattern) => CAPTURE(pattern)],
  ['capture/2', (pattern, flags) => CAPTURE(pattern, flags)],
  ['scan/1', (pattern) => SCAN(pattern)],
  ['scan/2', (pattern, flags) => SCAN(pattern, flags)],
  ['split/2', (pattern, flags) => splitBy(pattern, flags)],
  ['sub/2', (pattern, text) => substitute(false)(pattern, text)],
  ['sub/3', (pattern, text, flags) => substitute(false)(pattern, text, flags)],
  ['gsub/2', (pattern, text) => substitute(true)(pattern, text)],
  ['gsub/3', (pattern, text, flags) => substitute(true)(pattern, text, flags)],
  ['debug/0', () => itself],
  ['add/0', () => addAll(members)],
  ['add/1', (f) => addAll(f)],
]);
