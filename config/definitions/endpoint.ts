/** Scripted endpoints: `endpoints/*.yaml`, one per file, with the script in the file or beside it. Source: docs/contract/data-behaviour.md §3.1. */
import { check, whereOf } from '../check.ts';
import { durationMs } from '#config/values/duration.ts';
import { limits } from '../limits.ts';
import { problemAt, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import type { Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { textBeside } from './beside.ts';
import { ENDPOINT_HEADERS, type EndpointDefinition } from './product.ts';
import type { RoleCatalogue } from './roles-section.ts';
import { runAs, runAsProblems } from './run-as.ts';
import { definitionFiles } from './source.ts';

const PATH = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

const rate = kit.entry({
  burst: kit.whole(1, 1_000_000).meta({ about: 'how many calls may come at once' }),
  per_second: kit.positive().meta({ about: 'how many may follow in a second' }),
});

/** The form of the file. */
export const scriptedEndpointFile = kit.entry({
  path: kit
    .pattern(PATH, 'a path below /data/x/ without the first slash', 'reports/top')
    .meta({ about: 'where it is called' }),
  verb: kit
    .oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .meta({ about: 'the method that it takes; GET of a query and POST of a mutate unless set' }),
  kind: kit.oneOf(['query', 'mutate']).meta({ about: 'whether the script may write' }),
  auth: kit.oneOf(['public', 'user', 'service', 'admin', 'superadmin']).meta({ about: 'who may call it' }),
  rate: rate.optional().meta({ about: 'how often one caller may call it' }),
  cache_ttl: kit.duration().optional().meta({ about: 'how long an answer is given again; a query alone has it' }),
  headers: kit
    .list(kit.oneOf(ENDPOINT_HEADERS), 'header names')
    .optional()
    .meta({ about: 'the headers of the request that the script sees' }),
  refusals: kit
    .oneOf(['wrap', 'pass'])
    .optional()
    .meta({ about: 'how a refusal that the script does not catch is answered: as 500, or as itself; wrap unless set' }),
  run_as: runAs().meta({ about: 'the role with whose rights the script acts; those of the caller unless set' }),
  public_run_as: kit
    .yesNo()
    .optional()
    .meta({ about: 'a public endpoint may run as a role: everyone may do by it what the role may' }),
  script: kit
    .text('a script, or the name of a .js file beside this one', './top.js')
    .meta({ about: 'what runs; what it returns is the answer' }),
});

export interface Endpoints {
  readonly endpoints: readonly EndpointDefinition[];
  readonly problems: readonly Problem[];
}

/** The endpoints of a product, or every problem in them. `catalogue`: the roles that the product declares. */
export function readEndpoints(dir: string, catalogue: RoleCatalogue | undefined): Endpoints {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const endpoints: EndpointDefinition[] = [];
  const taken = new Map<string, string>();
  for (const file of listed.files) {
    const { tree, problems: broken } = readYamlFile(file);
    problems.push(...broken);
    if (broken.length > 0) continue;
    const read = readEndpoint(tree, file, catalogue);
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

function readEndpoint(tree: Tree, file: string, catalogue: RoleCatalogue | undefined): Endpoints {
  const checked = check(scriptedEndpointFile, tree);
  if ('problems' in checked) return { endpoints: [], problems: checked.problems };
  const { verb, kind, cache_ttl: ttl, headers, script, rate: limit, refusals, ...others } = checked.value;
  const { run_as: role, public_run_as: _, ...rest } = others;
  const source = textBeside(script, 'js', file, tree, ['script'], limits.scripts.sourceCharsMax);
  if ('mend' in source) return { endpoints: [], problems: [source] };
  if (ttl !== undefined && kind === 'mutate') return { endpoints: [], problems: [cannotCache(tree)] };
  const endpoint: EndpointDefinition = {
    ...rest,
    ...(role !== undefined && { runAs: role }),
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
  return { endpoints: [endpoint], problems: runAsProblems(checked.value, tree, catalogue) };
}

function cannotCache(tree: Tree): Problem {
  const path = ['cache_ttl'];
  return problemAt(tree.placeOf(path, 'key'), path, 'a mutate endpoint cannot be cached', 'remove cache_ttl');
}
