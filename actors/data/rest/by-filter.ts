/** PATCH and DELETE of all rows that a filter finds, with `If-Count` (docs/contract/data.md §6.7). */
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { replyJson, type Outcome, type Reply } from '#actors/protocol/route.ts';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import { changeFound, type Change, type Changed, type Miscount } from '#actors/engine/rows/change-found.ts';
import { failure, isFailure, noEntity, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Parameters } from '#actors/engine/rows/parameters.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { changeFoundSql } from '#actors/engine/rows/sql.ts';
import { KEY_FIELD } from '#actors/engine/schema/desired.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import type { Envelope } from '../shapes.ts';
import { renderEnvelope } from './envelope.ts';
import { failed } from './failed.ts';
import { parametersOf, sessionOf } from './session.ts';

type Code = 'v2.update_failed' | 'v2.delete_failed';
type Answer<C extends Code> = Reply<200, Envelope> | Refusal<C | 'v2.count_invalid' | 'v2.count_differs'>;

/** Parameters that choose among the rows found, or show more of them: a change is of all rows that the filter finds. */
const MISPLACED = [
  'limit',
  'pagesize',
  'offset',
  'page',
  'after',
  'before',
  'orderby',
  'order_by',
  'include',
  'groupby',
  '[aggregate]',
  '[bucket]',
  'deleted',
  'version',
];
const COUNT = /^\d{1,9}$/;

/** Whether a request is of the rows that a filter finds. */
export function isByFilter(call: Call): boolean {
  return call.header('if-count') !== undefined;
}

/** DELETE /data/rest/{entity}. */
export function removeFound(call: Call): Outcome<Routes['delete_found']> | Promise<Outcome<Routes['delete_found']>> {
  if (call.param('entity') === '' || !isByFilter(call))
    return refuse('v2.bad_path', {
      message: 'name the row in the path, or say in If-Count how many rows the filter finds',
    });
  const purge = parametersOf(call).flag('purge');
  return changed(call, 'v2.delete_failed', { verb: 'delete', input: null, purge });
}

/** PUT and PATCH /data/rest/{entity} with `If-Count`. */
export function updateFound(
  call: Call,
  input: Input,
): Answer<'v2.update_failed'> | Promise<Answer<'v2.update_failed'>> {
  if (Object.hasOwn(input, KEY_FIELD)) {
    const fields = { [KEY_FIELD]: ['names one row'] };
    return failed(
      'v2.update_failed',
      failure(422, `If-Count goes with a filter: ${KEY_FIELD} names one row`, { fields }),
    );
  }
  return changed(call, 'v2.update_failed', { verb: 'update', input, purge: false });
}

function changed<C extends Code>(
  call: Call,
  code: C,
  what: Pick<Change, 'verb' | 'input' | 'purge'>,
): Answer<C> | Promise<Answer<C>> {
  const wanted = countOf(call);
  if (isRefusal(wanted)) return wanted;
  const session = sessionOf(call);
  const model = session.model(call.param('entity'));
  if (model === undefined) return failed(code, noEntity(call.param('entity')));
  const began = session.clock.now();
  const parameters = parametersOf(call);
  const parse = (asker: Asker) =>
    misplacedIn(call, parameters) ?? parseQuery(model, parameters, null, NO_CONDITIONS, asker);
  const answer = (done: Changed | Miscount | Failure): Answer<C> => {
    if (isFailure(done)) return failed(code, done);
    if (done.kind === 'miscount') return differs(wanted, done);
    return replyJson(200, envelopeOf(model, parameters, done, what, session.clock.now() - began));
  };
  const done = changeFound(session, model, { ...what, wanted, method: call.method, parse });
  return done instanceof Promise ? done.then(answer) : answer(done);
}

function countOf(call: Call): number | Refusal<'v2.count_invalid'> {
  const text = call.header('if-count')!.trim();
  return COUNT.test(text) ? Number(text) : refuse('v2.count_invalid', { details: { if_count: shown(text) } });
}

function misplacedIn(call: Call, parameters: Parameters): Failure | null {
  if (call.header('if-match') !== undefined)
    return failure(422, 'If-Match names the version of one row: it does not go with If-Count', { header: 'if-match' });
  const parameter = MISPLACED.find((name) => parameters.first(name) !== undefined);
  if (parameter === undefined && !parameters.cursors) return null;
  return failure(422, `${parameter ?? 'a cursor'} does not go with If-Count`, { parameter: parameter ?? 'after' });
}

function differs(wanted: number, { found }: Miscount): Refusal<'v2.count_differs'> {
  const many = found === null ? `more than ${wanted}` : String(found);
  return refuse('v2.count_differs', {
    message: `the filter finds ${many} rows, If-Count says ${wanted}`,
    details: { if_count: wanted, found },
  });
}

/** The rows are not shown: how many they were stands in `total`. */
function envelopeOf(
  model: EntityModel,
  parameters: Parameters,
  { query, total, affected }: Changed,
  { input, purge }: Pick<Change, 'input' | 'purge'>,
  durationMs: number,
) {
  const stats = () => ({
    sql: changeFoundSql(model, query, input, purge),
    duration_ms: durationMs,
    total_count: total,
    include_sql: [],
    rows_affected: affected,
  });
  return renderEnvelope(model, [], total, parameters, stats, () => []);
}
