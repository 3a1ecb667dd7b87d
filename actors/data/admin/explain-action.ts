/**
 * POST …/actions/{name}/explain: how the statement of an action finds its rows, and how many it looks at (docs/contract/data-admin.md §8.4).
 *
 * Who may ask: administrators of the tenant, under the action's own rule and those of the entities that it names. What it costs: the statement, run as a read,
 * with a read's fuel and bounds; nothing is written, so a section that writes is refused. Whom it can hurt: no value of a row is in the answer, and each ask is on record.
 */
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Looks } from '#actors/engine/sql/looks.ts';
import { bindJson } from '../action/bind.ts';
import { refused } from '../action/call-action.ts';
import { isResult, mayCall, runSection } from '../action/run-action.ts';
import type { SectionOfAction } from '../action/section.ts';
import { METHODS_OF } from '../action/verbs.ts';
import { partOf } from '../part.ts';
import { refuse } from '../refusals.ts';
import { sessionOf } from '../rest/session.ts';
import { placeOf } from './gate.ts';
import { readBody } from './read-body.ts';
import type { AdminRows } from './routes.ts';
import { actionExplain } from './shapes.ts';

export async function explainAction(call: Call): Promise<Outcome<AdminRows['action_explain']>> {
  const body = readBody(call, actionExplain);
  if (isRefusal(body)) return body;
  const { section: wanted = 'read', params = {} } = body;
  const name = call.param('name');
  const action = partOf(call.activation).actions?.get(name);
  const section = action?.faulty === false ? action.sections.get(wanted) : undefined;
  if (action === undefined || section === undefined)
    return refuse('v2.action_not_found', { message: `no action ${shown(name)} with a section ${wanted} is served` });
  if (section.sql.writes) return refuse('v2.action_writes');
  const session = sessionOf(call);
  const [method] = METHODS_OF[wanted];
  if (!mayCall(session, action, section, method, params))
    return refuse('v2.forbidden', { message: `${name} is not allowed to this caller` });
  const values = bindJson(section.params, params);
  if (isFailure(values)) {
    const { message, details } = values;
    return refuse('v2.bad_params', { message, ...(details !== undefined && { details }) });
  }
  const looks = new Looks();
  const began = session.clock.now();
  const outcome = await runSection(session, section, values, method, looks);
  if (!isResult(outcome)) return refused(outcome);
  const data = { section: wanted };
  call.record(() => call.event({ outcome: 'ok', action: 'data.action.explain', target: name, data }));
  const told = { action: name, section: wanted, ...statementOf(section), total: outcome.total };
  return reply(200, { ...placeOf(call), ...told, ...lookedAt(looks), duration_ms: session.clock.now() - began });
}

const statementOf = ({ sql }: SectionOfAction) => ({ kind: sql.kind, columns: [...(sql.returning ?? [])] });

function lookedAt(looks: Looks) {
  const all = looks.all().map((look) => ({ ...look }));
  return { looked_at: all.reduce((sum, { looked }) => sum + looked, 0), looks: all };
}
