/** The endpoints of a product's BFF: `bff/*.yaml`, one each. Every problem names file, line and column, and how to mend it. */
import { check, whereOf } from '../../check.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Environment } from '../../env.ts';
import { problemAt, type Path, type Problem } from '../../problem.ts';
import { isMap, type Tree } from '../../tree.ts';
import { readYamlFile } from '../../yaml-file.ts';
import { definitionFiles } from '../source.ts';
import { readCall, type LooseCall } from './call.ts';
import { Desk } from './desk.ts';
import { endpointFile, type WrittenEndpoint } from './endpoint-file.ts';
import { stagesOf, waitsFor } from './graph.ts';
import type { BffCall, BffEndpointDefinition, BffResponse } from './shapes.ts';

export interface LoadedBff {
  readonly endpoints: readonly BffEndpointDefinition[];
  readonly problems: readonly Problem[];
}

/** Paths that the service itself answers (docs/contract/bff.md §2). */
const TAKEN = new Set(['/list', '/health', '/ready']);
const CONDITIONS =
  /^(?:if|when|unless|condition|conditions|switch|case|else|foreach|for_each|repeat|loop|let|set|vars)$/;

/** Places where `${NAME}` is resolved. */
export const isHeader = (path: Path): boolean => path[0] === 'calls' && path[2] === 'headers';

/** `hosts`: hosts that the product may call (`outbound.hosts`). `${NAME}` stands for a variable in headers only. */
export function loadBff(dir: string, hosts: readonly string[] | null, env: Environment): LoadedBff {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const endpoints: BffEndpointDefinition[] = [];
  const taken = new Map<string, string>();
  for (const file of listed.files) {
    const { tree, problems: broken, broken: isBroken } = readYamlFile(file, { env, interpolated: isHeader });
    problems.push(...broken);
    if (isBroken) continue;
    const read = readEndpoint(tree, hosts);
    problems.push(...read.problems, ...twice(tree, read.endpoint, taken));
    if (read.endpoint !== null) endpoints.push(read.endpoint);
  }
  return { endpoints, problems };
}

interface ReadEndpoint {
  readonly endpoint: BffEndpointDefinition | null;
  readonly problems: readonly Problem[];
}

function readEndpoint(tree: Tree, hosts: readonly string[] | null): ReadEndpoint {
  const conditions = conditionsIn(tree);
  const checked = check(endpointFile, tree);
  if ('problems' in checked) {
    const refused = new Set(conditions.map(({ path }) => path));
    return { endpoint: null, problems: [...conditions, ...checked.problems.filter(({ path }) => !refused.has(path))] };
  }
  const written = checked.value;
  const params = [...written.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const desk = new Desk(tree, { params, calls: Object.keys(written.calls) }, hosts);
  const endpoint = endpointOf(written, params, desk, whereOf(tree, ['path']));
  return { endpoint: desk.problems.length === 0 ? endpoint : null, problems: desk.problems };
}

/** Problems of keys for conditions or loops: a declaration has none, and the message says where they belong. */
function conditionsIn(tree: Tree): Problem[] {
  const calls = tree.get(['calls']);
  const maps: [readonly string[], unknown][] = [
    [[], tree.value],
    [['response'], tree.get(['response'])],
  ];
  if (isMap(calls)) for (const [name, call] of Object.entries(calls)) maps.push([['calls', name], call]);
  return maps.flatMap(([at, map]) =>
    (isMap(map) ? Object.keys(map) : [])
      .filter((key) => CONDITIONS.test(key))
      .map((key) => {
        const path = [...at, key];
        const mend = 'a declaration only composes: conditions, loops and derived values belong in a service';
        return problemAt(tree.placeOf(path, 'key'), path, `a BFF endpoint has no "${key}"`, mend);
      }),
  );
}

function endpointOf(
  written: WrittenEndpoint,
  params: readonly string[],
  desk: Desk,
  where: string,
): BffEndpointDefinition {
  const { name, method, path, auth, cache } = written;
  if (TAKEN.has(path)) desk.say(['path'], `${path} is the service's own`, 'choose another path');
  if (new Set(params).size < params.length) desk.say(['path'], 'a parameter comes twice', 'rename one of them');
  const calls = Object.entries(written.calls).map(([call, one]) => readCall(call, one, desk));
  checkWrites(written, calls, desk);
  if (cache !== undefined && method !== 'GET') desk.say(['cache'], `a ${method} cannot be cached`, 'remove it', 'key');
  return {
    name,
    method,
    path,
    auth,
    calls: ordered(calls, desk),
    response: responseOf(written, desk),
    cacheMs: cache === undefined ? 0 : durationMs(cache),
    where,
  };
}

/** Problems of writes: an endpoint makes one at most. When a second one failed, a declaration could not undo the first; a service can. */
function checkWrites({ method }: WrittenEndpoint, calls: readonly LooseCall[], desk: Desk): void {
  const writing = calls.filter(({ writes }) => writes);
  const mend = 'writes that belong together belong in one service: an action, a scripted endpoint, an operation list';
  for (const { name } of writing.slice(1))
    desk.say(['calls', name, 'method'], `"${writing[0]!.name}" writes already`, mend);
  if (method === 'GET' && writing.length > 0)
    desk.say(
      ['calls', writing[0]!.name, 'method'],
      'a GET endpoint changes nothing',
      'give the endpoint another method, or write `reads: true` where a POST only looks',
    );
}

/** The calls in the order in which they may begin. A write waits for every call that could still fail the answer. */
function ordered(loose: readonly LooseCall[], desk: Desk): readonly BffCall[] {
  const first = stagesOf(loose);
  if ('circle' in first) return circular(first.circle, desk);
  const calls = loose.map((call) => (call.writes ? { ...call, needs: lastOf(call, loose) } : call));
  const staged = stagesOf(calls);
  if ('circle' in staged) return circular(staged.circle, desk);
  const all = calls.map((call) => ({ ...call, stage: staged.stages.get(call.name)! }));
  return all.toSorted((a, b) => a.stage - b.stage);
}

function lastOf({ name, needs }: LooseCall, calls: readonly LooseCall[]): readonly string[] {
  const before = calls.filter(
    (other) => other.name !== name && other.onError === 'fatal' && !waitsFor(calls, other.name).has(name),
  );
  return [...new Set([...needs, ...before.map((other) => other.name)])];
}

function circular(circle: readonly string[], desk: Desk): readonly BffCall[] {
  desk.say(
    ['calls', circle[0]!],
    `calls wait for one another: ${circle.join(' → ')}`,
    'remove one of these needs',
    'key',
  );
  return [];
}

function responseOf({ response }: WrittenEndpoint, desk: Desk): BffResponse | null {
  if (response === undefined) return null;
  const path = ['response', 'program'];
  if (response.language === 'jq') return { ...response, where: desk.where(path) };
  if (response.program === null)
    desk.say(['response'], 'a template needs its program', 'add `program:` with the value to answer', 'key');
  return { language: 'template', program: desk.value(response.program, path) };
}

function twice(tree: Tree, endpoint: BffEndpointDefinition | null, taken: Map<string, string>): Problem[] {
  if (endpoint === null) return [];
  const { name, method, path, where } = endpoint;
  // Two paths that differ only in the names of their parameters are one path.
  const keys = [
    [['name'], `the endpoint "${name}"`, `name ${name}`],
    [['path'], `${method} ${path}`, `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`],
  ] as const;
  return keys.flatMap(([at, words, key]) => {
    const before = taken.get(key);
    taken.set(key, before ?? where);
    if (before === undefined) return [];
    return [
      problemAt(tree.placeOf(at, 'value'), at, `${words} is declared twice`, `remove one (the other is at ${before})`),
    ];
  });
}
