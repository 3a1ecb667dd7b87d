/** A compiled piece of a program: closures that push each result to their caller. */
import { Unsure, type Break } from './faults.ts';
import { burn } from '../pace/fuel.ts';
import type { Json } from './value.ts';

/** Variables, filter parameters and labels in scope, innermost first; the compiler knows how far each is away. */
export interface Env {
  readonly up: Env | null;
  readonly value: Json | Closure | Break;
}

/** A filter given as an argument, with the scope it was written in. */
export interface Closure {
  readonly node: Node;
  readonly env: Env | null;
}

/** Where a value was found, innermost key last; null is the root. */
export interface Path {
  readonly up: Path | null;
  readonly key: Json;
}

export type Emit = (value: Json) => void;
export type EmitPath = (value: Json, path: Path | null) => void;
export type Run = (input: Json, env: Env | null, emit: Emit) => void;
export type RunPaths = (input: Json, path: Path | null, env: Env | null, emit: EmitPath) => void;
export type RunOne = (input: Json, env: Env | null) => Json;

export interface Node {
  readonly run: Run;
  /** Where the program gives exactly one result or an error: the common case, without a callback. */
  readonly one: RunOne | null;
  /** Results with their paths; throws Unsure where jq has no path either. */
  readonly paths: RunPaths;
}

/** For values without a path. */
export const noPaths: RunPaths = () => {
  throw new Unsure('the path of a calculated value');
};

/** One result for each input. */
export function single(one: RunOne, paths: RunPaths): Node {
  return { run: (input, env, emit) => emit(one(input, env)), one, paths };
}

export function many(run: Run, paths: RunPaths): Node {
  return { run, one: null, paths };
}

/** The node, which burns a unit each time it is asked: a program costs by its length, also where nothing else burns. */
export function burning({ run, one, paths }: Node): Node {
  return {
    run: (input, env, emit) => {
      burn(1);
      run(input, env, emit);
    },
    one:
      one &&
      ((input, env) => {
        burn(1);
        return one(input, env);
      }),
    paths: (input, path, env, emit) => {
      burn(1);
      paths(input, path, env, emit);
    },
  };
}

export function pathOf(path: Path | null): Json[] {
  const keys: Json[] = [];
  for (let at = path; at !== null; at = at.up) {
    burn(1);
    keys.push(at.key);
  }
  return keys.toReversed();
}

export function hop(env: Env | null, cells: number): Env | null {
  let at = env;
  for (let i = 0; i < cells; i++) at = at!.up;
  return at;
}

/** All results. */
export function collect(node: Node, input: Json, env: Env | null): Json[] {
  const out: Json[] = [];
  if (node.one === null)
    node.run(input, env, (value) => {
      burn(1);
      out.push(value);
    });
  else out.push(node.one(input, env));
  burn(1);
  return out;
}
