/** Scripted endpoints: `endpoints/*.yaml`, one per file, with the script in the file or beside it. Source: docs/contract/data-behaviour.md §3.1. */
import { check, whereOf } from '../check.ts';
import { durationMs } from '#config/values/duration.ts';
import { limits } from '../limits.ts';
import { problemAt } from '../problem.ts';
import type { Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import type { Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { textBeside } from './beside.ts';
import { ENDPOINT_HEADERS } from './product.ts';
import type { EndpointDefinition } from './product.ts';
import { definitionFiles } from './source.ts';

const PATH = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

const rate = kit.entry({ burst: kit.whole(1, 1_000_000), per_second: kit.positive() });

const document = kit.entry({
  path: kit.pattern(PATH, 'a path below /data/x/ without the first slash', 'reports/top'),
  verb: kit.oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  kind: kit.oneOf(['query', 'mutate']),
  auth: kit.oneOf(['public', 'user', 'service', 'admin', 'superadmin']),
  rate: rate.optional(),
  cache_ttl: kit.duration().optional(),
  headers: kit.list(kit.oneOf(ENDPOINT_HEADERS), 'header names').optional(),
  refusals: kit.oneOf(['wrap', 'pass']).optional(),
  script: kit.text('a script, or the name of a .js file beside this one', './top.js'),
});

export interface Endpoints {
  readonly endpoints: readonly EndpointDefinition[];
  readonly problems: readonly Problem[];
}

/** The endpoints of a product, or every problem in them. */
export function readEndpoints(dir: string): Endpoints {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const endpoints: EndpointDefinition[] = [];
  const taken = new Map<string, string>();
  for (const file of listed.files) {
    const { tree, problems: broken } = readYamlFile(file);
    problems.push(...broken);
    if (broken.length > 0) continue;
    const read = readEndpoint(tree, file);
    problems.push(...read.problems);
    for (const endpoint of read.endpoints) {
      const key = `${endpoint.verb} ${endpoint.path}`;
      const before = taken.get(key);
      if (before !== undefined) {
        const message = `${key} is declared twice`;
        problems.push(
          problemAt(tree.placeOf(['path'], 'value'), ['path'], message, `remove one (the other is at ${before})`),
        );
      } else taken.set(key, endpoint.where);
      endpoints.push(endpoint);
    }
  }
  return { endpoints, problems };
}

function readEndpoint(tree: Tree, file: string): Endpoints {
  const checked = check(document, tree);
  if ('problems' in checked) return { endpoints: [], problems: checked.problems };
  const { verb, kind, cache_ttl: ttl, headers, script, rate: limit, refusals, ...rest } = checked.value;
  const source = textBeside(script, 'js', file, tree, ['script'], limits.scripts.sourceCharsMax);
  if ('mend' in source) return { endpoints: [], problems: [source] };
  if (ttl !== undefined && kind === 'mutate') return { endpoints: [], problems: [cannotCache(tree)] };
  const endpoint: EndpointDefinition = {
    ...rest,
    kind,
    verb: verb ?? (kind === 'mutate' ? 'POST' : 'GET'),
    rate: limit === undefined ? null : { burst: limit.burst, perSecond: limit.per_second },
    cacheMs: ttl === undefined ? 0 : durationMs(ttl),
    headers: headers ?? [],
    refusals: refusals ?? 'wrap',
    source: source.text,
    sourceAt: { file: source.file, line: source.line, column: source.column },
    where: whereOf(tree, ['path']),
  };
  return { endpoints: [endpoint], problems: [] };
}

function cannotCache(tree: Tree): Problem {
  const path = ['cache_ttl'];
  return problemAt(tree.placeOf(path, 'key'), path, 'a mutate endpoint cannot be cached', 'remove cache_ttl');
}
