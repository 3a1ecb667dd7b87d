/**
 * Every answer that a test gets through `call` is held against docs/openapi.json: its status, its content type and its body are described there.
 * A whole run must have seen each body that the document describes for success; refusals have one shape for all routes.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { AnswerCheck, type OpenApi, type Operation } from './answer-check.ts';

export interface LiveAnswer {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  /** Null where the answer has none. */
  readonly type: string | null;
  readonly text: string;
}

/** Names the file, one for a whole run, to which processes of tests append what they saw. */
export const SEEN_FILE = 'SKEP_TEST_SEEN';

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as OpenApi;
const check = new AnswerCheck(document);
const seen = new Set<string>();

/** Paths with fewer parameters come first: `/data/rest/batch` is not an entity's. */
const templates = Object.entries(document.paths)
  .map(([path, operations]) => ({ path, pattern: patternOf(path, Object.values(operations)[0]!), operations }))
  .toSorted((a, b) => parametersIn(a.path) - parametersIn(b.path));

/** The first two segments of a path. */
const beginningOf = (path: string): string => path.split('/', 3).join('/');

const [literal, free] = [
  templates.filter(({ path }) => !beginningOf(path).includes('{')),
  templates.filter(({ path }) => beginningOf(path).includes('{')),
];
const beginnings = Map.groupBy(literal, ({ path }) => beginningOf(path));

/** Hundreds of patterns are not tried for each answer: only those with the path's beginning, and those with a parameter there. */
function templateOf(path: string, verb: string): (typeof templates)[number] | undefined {
  const fits = ({ pattern, operations }: (typeof templates)[number]): boolean =>
    pattern.test(path) && verb in operations;
  return beginnings.get(beginningOf(path))?.find(fits) ?? free.find(fits);
}

function parametersIn(path: string): number {
  return path.split('{').length - 1;
}

/** Throws when the document does not describe the answer. Paths and methods that it does not have are not its matter. */
export function holdAgainstDocument({ method, path, status, type, text }: LiveAnswer): void {
  const [plain = '', query = ''] = path.split('?', 2);
  const isUnserved = type === null && text === '';
  // What an expression gives may be any JSON.
  if (isUnserved || hasExpression(query)) return;
  const verb = method.toLowerCase();
  const template = templateOf(plain, verb);
  if (template === undefined) return;
  const body: unknown = type?.startsWith('application/json') === true ? JSON.parse(text) : text;
  check.expect(template.path, method, status, body, { type: type ?? undefined });
  note(answerOf(method, template.path, status));
}

/** The described answers that this run has seen so far. */
export function answersSeen(): string[] {
  const file = process.env[SEEN_FILE];
  return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/**
 * Described answers that are not among the found ones and whose body no test of a run has seen, neither there nor at another route or status with the same schema. Bytes have no schema.
 */
export function neverSeen(found: ReadonlySet<string>): string[] {
  const described = templates.flatMap(({ path, operations }) =>
    Object.entries(operations).flatMap(([verb, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([status, { content }]) => Object.values(content ?? {}).map(({ schema }) => ({ status, schema })))
        .filter(({ schema }) => schema !== undefined)
        .map(({ status, schema }) => ({ answer: answerOf(verb, path, status), shape: JSON.stringify(schema) })),
    ),
  );
  const shapes = new Set(described.filter(({ answer }) => found.has(answer)).map(({ shape }) => shape));
  return described.filter(({ shape }) => !shapes.has(shape)).map(({ answer }) => answer);
}

const answerOf = (method: string, template: string, status: number | string): string =>
  `${method.toUpperCase()} ${template} ${status}`;

function note(answer: string): void {
  const file = process.env[SEEN_FILE];
  if (file === undefined || seen.has(answer)) return;
  seen.add(answer);
  appendFileSync(file, `${answer}\n`);
}

function patternOf(path: string, { parameters = [] }: Operation): RegExp {
  const takesRest = parameters.some(({ description }) => description?.startsWith('The rest of the path'));
  const literals = path.split(/\{[^}]+\}/).map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^${literals.join(takesRest ? '.+' : '[^/]+')}$`);
}

/** Names of query parameters are read without their case. */
const hasExpression = (query: string): boolean =>
  [...new URLSearchParams(query).keys()].some((name) => name.toLowerCase() === 'expression');
