/** What scripts may do: the row operations of every request, and declared actions, all under the caller's rules. */
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import { bindJson } from '../action/bind.ts';
import type { Actions } from '../action/registry.ts';
import { isResult, mayCall, renderResult, runSection } from '../action/run-action.ts';
import { sectionOf, verbsOf } from '../action/verbs.ts';
import { operate, OPERATION_NAMES, WRITES } from '../endpoint/operations.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { partOf, servedModels } from '../part.ts';
import type { SqlOutcome } from '#actors/engine/sql/compiled.ts';
import type { Operate } from './replay.ts';

/** The host functions of every script. */
export const FUNCTIONS: readonly string[] = [...OPERATION_NAMES, 'action', 'log', 'now', 'uuid'];

/** The operations of a script that runs in a call. */
export function operateOf(call: Call): Operate {
  const { actions } = partOf(call.activation);
  return (session, name, args) =>
    name === 'action' ? act(session, actions, args, call.method) : operate(session, call.method, name, args);
}

/** Whether an operation changes rows. */
export function isWrite(name: string, args: readonly unknown[]): boolean {
  return name === 'action' ? verbOf(args[1]) !== 'GET' : WRITES.has(name);
}

/** 404 for the states of an entity that no stateflow governs; null for every other operation. */
export function ungoverned(call: Call, name: string, [entity]: readonly unknown[]): Failure | null {
  if (name !== 'state') return null;
  const model = servedModels(call.activation).get(String(entity));
  if (model !== undefined && model.machines.length > 0) return null;
  return failure(404, `no stateflow governs ${shown(entity)}`, { code: 'v2.stateflow_not_found' });
}

const notServed = { code: 'v2.engine_unavailable', status: 503 };

/** As the alias of an entity: the read section, unless `_method` names another verb. */
function act(
  session: Session,
  actions: Actions | null,
  [name, given]: readonly unknown[],
  method: string,
): ReturnType<Operate> {
  const action = actions?.get(String(name));
  if (action === undefined) return failure(404, `no action ${shown(name)}`, { code: 'v2.action_not_found' });
  if (action.faulty)
    return failure(500, `the action ${action.definition.name} is not served: it does not compile`, notServed);
  const params = given ?? {};
  if (!isObject(params)) return failure(422, 'the parameters must be an object', badParams);
  const section = action.sections.get(sectionOf(verbOf(params)) ?? 'read');
  if (sectionOf(verbOf(params)) === undefined || section === undefined) {
    const details = { code: 'v2.action_method_not_allowed', status: 405, allowed: verbsOf(action) };
    return failure(422, `${action.definition.name} has no section for this verb`, details);
  }
  if (!mayCall(session, action, section, method, params))
    return failure(403, `${action.definition.name} is not allowed to this caller`, { code: 'v2.forbidden' });
  const values = bindJson(section.params, params);
  if (isFailure(values)) return failure(422, values.message, { ...values.details, ...badParams });
  const outcome = runSection(session, section, values, method);
  return outcome instanceof Promise ? outcome.then(textOf) : textOf(outcome);
}

const badParams = { code: 'v2.bad_params', status: 400 };

function textOf(outcome: SqlOutcome): string | Failure {
  if (isFailure(outcome))
    return failure(outcome.status, outcome.message, { ...outcome.details, code: 'v2.action_failed' });
  return isResult(outcome) ? renderResult(outcome, true) : failure(500, 'the statement gave no rows and no count');
}

function verbOf(params: unknown): string {
  const verb = isObject(params) ? (params['_method'] ?? 'GET') : 'GET';
  return typeof verb === 'string' ? verb.toUpperCase() : '';
}

function isObject(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
