/** POST, PUT, PATCH and DELETE /data/rest: the operations envelope. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { renderedAs, type Rendered } from '#actors/protocol/body.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import { runOperations, type Done, type Undone } from '#actors/engine/rows/operations.ts';
import type { Parameters } from '#actors/engine/rows/parameters.ts';
import { takeSteps } from '#actors/kit/pace/steps.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import type { OperationsDone } from '../shapes.ts';
import { readOperations, undone } from './read-operations.ts';
import { parametersOf, sessionOf } from './session.ts';
import { datastoreFailure } from './written.ts';

type Ran = Outcome<Routes['operations']>;

export function operations(call: Call): Ran | Promise<Ran> {
  const wanted = readOperations(call);
  if (isRefusal(wanted)) return wanted;
  const parameters = parametersOf(call);
  const elsewhere = datastoreFailure(parameters);
  if (elsewhere !== null) return refuse('v2.bulk_failed', { message: elsewhere.message, details: elsewhere.details! });
  const session = sessionOf(call);
  const answer = (ran: readonly Done[] | Undone): Ran =>
    'kind' in ran ? undone(ran.at, ran.cause, wanted[ran.at]) : replyJson(200, renderDone(ran, parameters));
  const ran = takeSteps(session, runOperations(session, wanted, call.method));
  return ran instanceof Promise ? ran.then(answer) : answer(ran);
}

function renderDone(done: readonly Done[], parameters: Parameters): Rendered<OperationsDone> {
  const listed = done.map(
    ({ action, entity, rows, affected }) =>
      `{"action":"${action}","entity":${JSON.stringify(entity)},"data":[${rows.join(',')}],"affected_rows":${affected}}`,
  );
  const text = `{"operations":[${listed.join(',')}]`;
  if (!parameters.flag('stats', 'sendstats')) return renderedAs(`${text}}`);
  const stats = { operations_run: done.length, operations_ok: done.length, operations_fail: 0 };
  return renderedAs(`${text},"stats":${JSON.stringify(stats)}}`);
}
