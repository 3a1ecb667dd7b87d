/**
 * The jq of a response selects and arranges: paths, iteration, objects, arrays, literals. Programs that decide or derive are refused when
 * the product is loaded (docs/contract/bff.md §3.4).
 */
import { SOURCES, type BffResponse } from '#config/definitions/bff/shapes.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Ast } from '#actors/kit/jq/ast.ts';
import { Unsure } from '#actors/kit/jq/faults.ts';
import { parseProgram } from '#actors/kit/jq/parser.ts';
import { Program } from '#actors/kit/jq/program.ts';
import { DefinitionError } from '#actors/kit/rule.ts';

const WHY =
  'a response selects and arranges (paths, .[], objects, arrays, literals): branching and derived values belong in a service';

/** Names of refused constructs, as authors of products know them. */
const CALLED: Partial<Record<Ast['kind'], string>> = {
  if: 'if',
  alternative: '//',
  reduce: 'reduce',
  foreach: 'foreach',
  def: 'def',
  as: 'as',
  try: 'try',
  and: 'and',
  or: 'or',
  update: 'an assignment',
  negate: 'arithmetic',
  variable: 'a variable',
  recurse: '..',
  format: 'a @format',
  label: 'label',
  break: 'break',
  location: '$__loc__',
};

/** The program ready to run. Throws DefinitionError with file, line and column. */
export function arrangingOnly(
  { program, where }: Extract<BffResponse, { language: 'jq' }>,
  calls: readonly string[],
): Program {
  const fail = (message: string): never => {
    throw new DefinitionError(where, message);
  };
  try {
    check(parseProgram(program), calls, fail);
    return Program.compile(program);
  } catch (error) {
    if (error instanceof Unsure) return fail(`not a jq program of a response (${error.why}): ${WHY}`);
    throw error;
  }
}

type Fail = (message: string) => never;

function check(ast: Ast, calls: readonly string[], fail: Fail): void {
  for (const part of partsOf(ast, calls, fail)) check(part, calls, fail);
}

/** The parts of an allowed construct; fails for any other. */
function partsOf(ast: Ast, calls: readonly string[], fail: Fail): readonly Ast[] {
  switch (ast.kind) {
    case 'identity':
    case 'literal':
      return [];
    case 'string':
      return ast.format === null ? ast.parts.filter((part) => typeof part === 'object') : fail(`a @format: ${WHY}`);
    case 'index':
      checkName(ast, calls, fail);
      return [ast.target, ast.key];
    case 'slice':
      return [ast.target, ast.from, ast.to].filter((part) => part !== null);
    case 'iterate':
      return [ast.target];
    case 'array':
      return ast.body === null ? [] : [ast.body];
    case 'object':
      return ast.entries.flatMap(({ key, value }) => [key, value]);
    case 'pipe':
    case 'comma':
      return [ast.left, ast.right];
    case 'negate':
      return ast.body.kind === 'literal' ? [] : fail(`arithmetic: ${WHY}`);
    case 'call':
      return fail(`${ast.name}: ${WHY}`);
    case 'binary':
      return fail(`${ast.op}: ${WHY}`);
    default:
      return fail(`${CALLED[ast.kind] ?? ast.kind}: ${WHY}`);
  }
}

/** Refuses `.calls.<name>` and `.<source>` that do not exist: they are mistakes, and would always be null. Only at the program's own input. */
function checkName({ target, key }: Extract<Ast, { kind: 'index' }>, calls: readonly string[], fail: Fail): void {
  if (key.kind !== 'literal' || typeof key.value !== 'string') return;
  const isCalls =
    target.kind === 'index' &&
    target.target.kind === 'identity' &&
    target.key.kind === 'literal' &&
    target.key.value === 'calls';
  if (isCalls && !calls.includes(key.value))
    fail(`there is no call "${key.value}": ${suggestion(key.value, calls)} (a response sees ${SOURCES.join(', ')})`);
}
