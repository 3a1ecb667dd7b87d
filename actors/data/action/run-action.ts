/** Runs one section of an action in the session's turn, under the action's rule and those of the entities that it touches. */
import type { RuleFault } from '#actors/kit/rule.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { limits } from '#config/limits.ts';
import { renderedAs, type Rendered } from '#actors/protocol/body.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { READ_SLICE } from '#actors/engine/rows/pace.ts';
import { scopeOf, type Session } from '#actors/engine/rows/session.ts';
import type { ActionDone } from '../shapes.ts';
import type { SqlOutcome } from '#actors/engine/sql/compiled.ts';
import type { Looks } from '#actors/engine/sql/looks.ts';
import { executeSql } from '#actors/engine/sql/execute.ts';
import type { Values } from './bind.ts';
import type { Action } from './registry.ts';
import type { SectionOfAction } from './section.ts';

/** Whether the caller may call the section; without a rule only superadmins and the node may. `given`: what rules see as `request.data`. */
export function mayCall(
  session: Session,
  { definition, entities }: Action,
  { section, rule }: SectionOfAction,
  method: string,
  given: Input,
): boolean {
  const { principal } = session;
  if (principal.type === 'internal') return true;
  if (principal.readonly && section !== 'read') return false;
  if (rule === null) return principal.superadmin;
  const request = { method, operation: section, entity: entities[0] ?? '', id: definition.name, data: given };
  let why: RuleFault | null = null;
  const allowed = rule.allows(scopeOf(session, request), (fault) => void (why = fault));
  if (!allowed) session.denied?.({ entity: entities[0] ?? definition.name, operation: section, fault: why });
  return allowed;
}

/** Whether a call of the section can be allowed to the caller, as far as that is known without a request: false only where every call would be refused. */
export function mayEverCall(session: Session, { section, rule }: SectionOfAction): boolean {
  const { principal } = session;
  if (principal.type === 'internal') return true;
  if (principal.readonly && section !== 'read') return false;
  if (rule === null) return principal.superadmin;
  return !rule.usesPrincipalOnly || rule.allows(scopeOf(session, NOTHING_ASKED));
}

const NOTHING_ASKED = { method: '', operation: '', entity: '', id: null, data: null };

/** `looks`: where the run says what it looked at. Runs the statement; gives its count and its rows. After a failure the caller must drop the turn. */
export function runSection(
  session: Session,
  section: SectionOfAction,
  values: Values,
  method: string,
  looks: Looks | null = null,
): SqlOutcome | Promise<SqlOutcome> {
  const served = section.served((entity) => session.model(entity)?.whole);
  if (served === null) return failure(500, 'the stored schema lacks what the statement names: provision the tenant');
  return executeSql(served, values, session, method, null, looks);
}

export type Result = Exclude<SqlOutcome, Failure>;

/** `{data, count, total}` as JSON text; without rows `{total}`, unless `whole` is asked for. */
export function renderResult(outcome: Result, whole: true): Rendered<Required<ActionDone>>;
export function renderResult(outcome: Result, whole: boolean): Rendered<ActionDone>;
export function renderResult(outcome: Result, whole: boolean): Rendered<ActionDone> {
  const { total, rows } = outcome;
  if (rows === undefined) return renderedAs(whole ? `{"data":[],"count":0,"total":${total}}` : `{"total":${total}}`);
  return renderedAs(`{"data":${JSON.stringify(rows)},"count":${rows.length},"total":${total}}`);
}

/** As `renderResult`, in slices between which other turns may run. */
export function renderResultInSlices(
  session: Session,
  outcome: Result,
  whole: true,
): Promise<Rendered<Required<ActionDone>>>;
export function renderResultInSlices(session: Session, outcome: Result, whole: boolean): Promise<Rendered<ActionDone>>;
export async function renderResultInSlices(
  session: Session,
  outcome: Result,
  whole: boolean,
): Promise<Rendered<ActionDone>> {
  const { total, rows } = outcome;
  if (rows === undefined || rows.length <= limits.sql.strideRows) return renderResult(outcome, whole);
  const pace = new Budget(session.clock, READ_SLICE);
  const texts: string[] = [];
  for (const [at, row] of rows.entries()) {
    texts.push(JSON.stringify(row));
    if (at % limits.sql.strideRows !== 0 || !pace.spend(limits.sql.strideRows)) continue;
    await session.yieldTurn();
    pace.next();
  }
  return renderedAs(`{"data":[${texts.join(',')}],"count":${rows.length},"total":${total}}`);
}

/** Whether an outcome is what the executor promises: a count of rows, and rows or none. */
export function isResult(outcome: SqlOutcome): outcome is Result {
  return !isFailure(outcome) && Number.isSafeInteger(outcome.total) && Array.isArray(outcome.rows ?? []);
}
