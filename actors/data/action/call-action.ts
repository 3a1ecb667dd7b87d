/**
 * Declared actions: `/data/actions/{name}`, and the alias of an entity (docs/contract/data-behaviour.md §2.2). Checked in this order: name,
 * verb, form of the parameters, rule, parameters; then the statement runs.
 */
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { bodyText } from '#actors/kit/json.ts';
import { shown } from '#actors/kit/shown.ts';
import { traced, type Trace } from '#actors/kit/trace/trace.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Rendered } from '#actors/protocol/body.ts';
import { replyJson, type Outcome, type Reply } from '#actors/protocol/route.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { checkDatastore, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { partOf } from '../part.ts';
import { busy, refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { parametersOf, sessionOf } from '../rest/session.ts';
import type { ActionDone } from '../shapes.ts';
import type { SqlOutcome } from '#actors/engine/sql/compiled.ts';
import { bindJson, bindQuery, type Values } from './bind.ts';
import type { Action } from './registry.ts';
import type { SectionOfAction } from './section.ts';
import { isResult, mayCall, renderResult, renderResultInSlices, runSection, type Result } from './run-action.ts';
import { sectionOf, verbsOf } from './verbs.ts';

type NotRun = Refusal<'v2.bad_params' | 'v2.forbidden' | 'v2.action_failed' | 'v2.engine_unexpected_type'>;
type Ran<B> = Reply<200, B> | NotRun;

/** How a result becomes an answer: at once, or in slices. */
interface Renders<B> {
  now(outcome: Result): Rendered<B>;
  inSlices(session: Session, outcome: Result): Promise<Rendered<B>>;
}

const asResult: Renders<ActionDone> = {
  now: (outcome) => renderResult(outcome, false),
  inSlices: (session, outcome) => renderResultInSlices(session, outcome, false),
};
/** Always with `data` and `count`, as the envelope of an entity has them. */
const asEnvelope: Renders<Required<ActionDone>> = {
  now: (outcome) => renderResult(outcome, true),
  inSlices: (session, outcome) => renderResultInSlices(session, outcome, true),
};

/** GET and DELETE take their parameters from the query string, the other verbs from the body. */
export function callAction(call: Call): Outcome<Routes['action_read']> | Promise<Outcome<Routes['action_read']>> {
  const name = call.param('name');
  if (name === '') return refuse('v2.bad_path', { message: 'the path names no action' });
  const { actions } = partOf(call.activation);
  if (actions === null) return refuse('v2.action_failed', { message: 'the actions could not be loaded' });
  const action = actions.get(name);
  if (action === undefined) return notFound(name);
  if (action.faulty) return notServed(name);
  const section = sectionFor(action, call.method);
  if (isRefusal(section)) return section;
  if (call.method === 'GET' || call.method === 'DELETE') {
    const given = Object.fromEntries(call.query);
    return carryOut(call, action, section, given, () => bindQuery(section.params, call.query), asResult);
  }
  const given = call.body.length === 0 ? { ok: true as const, value: {} } : call.exactJson();
  if (!given.ok) return refuse('v2.bad_params', { message: given.fault });
  if (!isObject(given.value)) return refuse('v2.bad_params', { message: 'the parameters must be a JSON object' });
  const input = given.value;
  return carryOut(call, action, section, input, () => bindJson(section.params, input), asResult);
}

/** The alias: the read section, unless `_method` in the body names another verb. */
export function callEntityAction(
  call: Call,
): Outcome<Routes['entity_action']> | Promise<Outcome<Routes['entity_action']>> {
  const [entity, name] = [call.param('entity'), call.param('action')];
  if (entity === '' || name === '') return refuse('v2.bad_path', { message: 'the path names no entity or no action' });
  const { actions } = partOf(call.activation);
  if (actions === null) return refuse('v2.registry_unavailable');
  const action = actions.get(name);
  if (action === undefined) return notFound(name, entity);
  // Which entities a faulty statement names is not known: unless the definition lists them, any may be meant.
  if (action.faulty && (action.definition.entities?.includes(entity) ?? true)) return notServed(name);
  if (!action.entities.includes(entity)) return notFound(name, entity);
  const input = aliasBody(call);
  if (isRefusal(input)) return input;
  const { _method: verb = 'GET' } = input;
  if (typeof verb !== 'string') return refuse('v2.bad_params', { message: '_method must be the name of a verb' });
  const section = sectionFor(action, verb.toUpperCase());
  if (isRefusal(section)) return section;
  return carryOut(call, action, section, input, () => bindJson(section.params, input), asEnvelope);
}

function aliasBody(call: Call): Input | Refusal<'v2.body_read' | 'v2.bad_json'> {
  if (call.body.length === 0) return {};
  if (bodyText(call.body) === null) return refuse('v2.body_read');
  const parsed = call.exactJson();
  if (!parsed.ok) return refuse('v2.bad_json', { message: parsed.fault });
  return isObject(parsed.value) ? parsed.value : refuse('v2.bad_json', { message: 'body must be a JSON object' });
}

/** No more than that: a caller cannot mend it. The operator's log and `skep check` name the fault. */
function notServed(name: string): Refusal<'v2.engine_unavailable'> {
  return busy(`the action ${name} is not served: it does not compile`);
}

function notFound(name: string, entity?: string): Refusal<'v2.action_not_found'> {
  const of = entity === undefined ? '' : ` of ${shown(entity)}`;
  return refuse('v2.action_not_found', { message: `no action ${shown(name)}${of}` });
}

function sectionFor(action: Action, verb: string): SectionOfAction | Refusal<'v2.action_method_not_allowed'> {
  const section = sectionOf(verb);
  const found = section === undefined ? undefined : action.sections.get(section);
  if (found !== undefined) return found;
  const allowed = verbsOf(action);
  return refuse('v2.action_method_not_allowed', { headers: { Allow: allowed.join(', ') }, details: { allowed } });
}

function carryOut<B>(
  call: Call,
  action: Action,
  section: SectionOfAction,
  given: Input,
  bind: () => Values | Failure,
  as: Renders<B>,
): Ran<B> | Promise<Ran<B>> {
  const session = sessionOf(call);
  if (!mayCall(session, action, section, call.method, given))
    return refuse('v2.forbidden', { message: `${action.definition.name} is not allowed to this caller` });
  const elsewhere = checkDatastore(parametersOf(call).first('datastore'));
  const values = elsewhere ?? bind();
  if (isFailure(values)) return refuse('v2.bad_params', failureOf(values));
  const run = (): SqlOutcome | Promise<SqlOutcome> => runSection(session, section, values, call.method);
  const outcome = call.trace === null ? run() : tracedSql(call.trace, action, section, run);
  if (!(outcome instanceof Promise)) return isResult(outcome) ? replyJson(200, as.now(outcome)) : refused(outcome);
  return outcome.then(async (settled) =>
    isResult(settled) ? replyJson(200, await as.inSlices(session, settled)) : refused(settled),
  );
}

/** The statement as a span, by the names of its action and section: neither its text nor its values are in it. */
function tracedSql(
  trace: Trace,
  { definition: { name } }: Action,
  { section }: SectionOfAction,
  run: () => SqlOutcome | Promise<SqlOutcome>,
): SqlOutcome | Promise<SqlOutcome> {
  trace.about('skep.action', name);
  return traced(trace, `sql ${name} ${section}`, run, (outcome) =>
    isFailure(outcome) ? String(outcome.status) : null,
  );
}

export function refused(outcome: SqlOutcome): NotRun {
  if (!isFailure(outcome)) return refuse('v2.engine_unexpected_type');
  if (outcome.status === 403) return refuse('v2.forbidden', failureOf(outcome));
  const { message, details } = outcome;
  return refuse('v2.action_failed', { message, details: { ...details, status: outcome.status } });
}

function failureOf({ message, details }: Failure) {
  return { message, ...(details !== undefined && { details }) };
}

function isObject(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
