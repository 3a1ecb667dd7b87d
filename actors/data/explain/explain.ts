/**
 * What the rules say to a user who sends a request, and which index a list would use (docs/contract/data-admin.md §10). The engine's own
 * functions are asked, in the order in which a request asks them, and nothing is staged.
 *
 * Who may ask: operators of the node, over its control socket (`skep explain`), and administrators of the tenant (../admin/explain/). What it costs: rules for one row
 * and their conditions, or a plan without its rows, in one turn's fuel. Whom it can hurt: it says whether a row is there for a user, so each ask is recorded with who asked
 * and why; no value of a row is in it, and of a row that the asker may not read no condition is told.
 */
import type { Work } from '#actors/host/work.ts';
import { inFuel } from '#actors/kit/pace/fuel.ts';
import type { Rule } from '#actors/kit/rule.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import type { AccessOperation } from '#config/definitions/product.ts';
import { suggestion } from '#config/values/suggest.ts';
import { describePlan } from '#actors/engine/rows/access-path.ts';
import { admits, rowsOf, visibleTo, followsReferences } from '#actors/engine/rows/access.ts';
import { isDeleted, type Slots } from '#actors/engine/rows/codec.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { Admits } from '#actors/engine/rows/filter.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { knownOf } from '#actors/engine/rows/narrow.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { planQuery } from '#actors/engine/rows/plan.ts';
import { predicatesIn, type Query, type TextQuery } from '#actors/engine/rows/query.ts';
import { boundTo, crosses, crossingFault, readsElsewhere } from '#actors/engine/rows/path/bind.ts';
import { unmaskedFor } from '#actors/engine/rows/read.ts';
import type { RequestView, Session } from '#actors/engine/rows/session.ts';
import { findRow } from '#actors/engine/rows/store.ts';
import { parseWords } from '#actors/engine/search/parse-words.ts';
import { withWords } from '#actors/engine/search/with-words.ts';
import { sessionAs } from '../rest/session.ts';
import { servedModels } from '../part.ts';
import { partsOf } from './parts.ts';
import { ExplainFault, rowRouteOf, type RowRoute } from './row-route.ts';
import { accessVerdict, rowRuleVerdict, type AccessVerdict, type AskedRule, type RuleVerdict } from './verdicts.ts';

export interface ExplainWish {
  /** Of the tenant, as identity has it now. */
  readonly user: { readonly id: string; readonly roles: readonly string[] };
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The body of the write; null where it is not given. */
  readonly data: object | null;
  readonly asked_by: string;
  readonly reason: string;
  /** The caller, where conditions are told only for rows that this principal may read; an operator's ask leaves it out, and is told of all. */
  readonly asker?: Principal;
}

export interface Explained {
  readonly entity: string;
  readonly operation: string;
  readonly rules: readonly RuleVerdict[];
  /** What the rules make of the request: its status, or null where a body or a new row decides. */
  readonly answer: { readonly status: number | null; readonly why: string };
  /** Of a list: how its rows are found, and by which fields the rules narrow it. */
  readonly plan: Readonly<Record<string, unknown>> | null;
  /** Of a route that names a row: whether it is there for the user. */
  readonly row: { readonly id: string; readonly visible: boolean; readonly why: string } | null;
}

/** Answers, and records the ask in the tenant's audit log. Throws an ExplainFault: no route of rows, no such entity. */
export function explain(work: Work, wish: ExplainWish): Explained {
  const route = rowRouteOf(wish.method, wish.target);
  const models = servedModels(work.activation);
  if (!models.has(route.entity)) throw new ExplainFault(noEntity(work, route.entity, [...models.keys()]));
  const session = sessionAs(work, principalOf(work, wish), models);
  const model = session.model(route.entity)!;
  const asker = wish.asker === undefined ? null : sessionAs(work, wish.asker, models);
  const explained = inFuel(() => explainedBy(session, model, route, wish, asker));
  note(work, wish, explained);
  return explained;
}

/** In the audit log; where the node keeps none, in its own. */
function note(work: Work, { method, asked_by, reason, user }: ExplainWish, { entity, row }: Explained): void {
  const data = { asked_by, reason, method, entity, id: row?.id ?? null };
  if (work.recordsEvents)
    work.record(work.event({ outcome: 'ok', action: 'data.explain', target: user.id, data }), 'always');
  else work.activation.context.log.info({ user: user.id, ...data }, 'an operator asked what the rules say to a user');
}

function noEntity({ activation }: Work, name: string, known: readonly string[]): string {
  return `${activation.position.key} has no entity "${name}": ${suggestion(name, known)}`;
}

/** As a token of the user would be, without a session. */
function principalOf({ activation }: Work, { user: { id, roles } }: ExplainWish): Principal {
  const tenant = activation.position.key;
  return { ...ANONYMOUS, type: 'user', subject: id, tenant, roles, superadmin: roles.includes('superadmin') };
}

function explainedBy(
  session: Session,
  model: EntityModel,
  route: RowRoute,
  wish: ExplainWish,
  asker: Session | null,
): Explained {
  const { operation, query } = route;
  const takesBody = operation === 'create' || operation === 'update';
  const data = takesBody ? wish.data : null;
  const id = operation === 'create' ? null : (route.id ?? keyIn(model, data));
  const request: RequestView = { method: wish.method, operation, entity: model.name, id, data };
  const isPurge = operation === 'delete' && query.get('purge') === 'true';
  const access = [operation, ...(isPurge ? (['purge'] as const) : [])].map((one) =>
    accessVerdict(session, model, one, request),
  );
  const rowRule = rowRuleVerdict(model);
  const row = id === null || model.isView ? null : look(session, model, id, request);
  const view: RowView = { session, model, request, found: row?.found ?? null, isOpen: isOpenTo(asker, model, row) };
  const verdicts = access.map(({ grant, ...head }) =>
    ruleIn(view, head, model.rules.get(operationOf(head.name)) ?? null, (slots) => admits(grant, slots)),
  );
  const rules =
    rowRule === null
      ? verdicts
      : [...verdicts, ruleIn(view, rowRule, model.rowRule, rowsOf(session, model, request) ?? (() => true))];
  const list =
    operation === 'read' && row === null && access[0]!.verdict !== 'denies'
      ? listOf(session, model, route, wish.data, request)
      : null;
  return {
    entity: model.name,
    operation,
    rules,
    answer: list?.refused ?? answerOf(model, access, row, operation, isPurge),
    plan: list?.plan ?? null,
    row: row === null ? null : { id: String(id), visible: row.visible, why: row.why },
  };
}

const operationOf = (name: string): AccessOperation => name.slice('access.'.length) as AccessOperation;

/** One row, or none, as the rules of a request meet it. */
interface RowView {
  readonly session: Session;
  readonly model: EntityModel;
  readonly request: RequestView;
  readonly found: Slots | null;
  /** Whether the asker may know what conditions make of it. */
  readonly isOpen: boolean;
}

/** Whether the asker may read the row: conditions over it say more of it than the whole rule does. */
function isOpenTo(asker: Session | null, model: EntityModel, row: Looked | null): boolean {
  if (asker === null || row === null || row.found === null) return true;
  const reading: RequestView = { method: 'GET', operation: 'read', entity: model.name, id: null, data: null };
  return admits(visibleTo(asker, asker.model(model.name)!, reading), row.found);
}

function ruleIn(view: RowView, head: AskedRule, rule: Rule | null, admitsIt: Admits): RuleVerdict {
  const { session, model, request, found, isOpen } = view;
  const parts = isOpen && !model.isView ? partsOf(rule, { session, model, request, slots: found }) : null;
  const admitted = found === null || head.verdict === 'by_body' ? null : admitsIt(found);
  return { ...head, admits: admitted, parts };
}

function keyIn({ key }: EntityModel, data: object | null): unknown {
  return data !== null && Object.hasOwn(data, key.name) ? (data as Record<string, unknown>)[key.name] : null;
}

interface Looked {
  /** To reads of the user: access and row rule together. */
  readonly visible: boolean;
  readonly why: string;
  /** Null where there is none, or the row rule does not admit it. */
  readonly slots: Slots | null;
  /** Null where there is none. */
  readonly found: Slots | null;
}

function look(session: Session, model: EntityModel, id: unknown, request: RequestView): Looked {
  const key = model.idOf(id);
  const slots = key === null ? undefined : findRow(session.turn(), model, key)?.slots;
  if (slots === undefined)
    return { visible: false, why: 'there is no row with this id, or it cannot be read', slots: null, found: null };
  const rows = rowsOf(session, model, request);
  if (rows !== null && !rows(slots))
    return { visible: false, why: 'row_rule does not admit the row to this user', slots: null, found: slots };
  if (isDeleted(slots)) return { visible: false, why: 'the row is deleted (softly)', slots, found: slots };
  const visible = admits(visibleTo(session, model, { ...request, operation: 'read' }), slots);
  return {
    visible,
    why: visible ? 'access.read and row_rule admit it' : 'access.read does not admit it',
    slots,
    found: slots,
  };
}

type Answer = Explained['answer'];

/** The status that the rules give, in the order in which a request asks them. */
function answerOf(
  model: EntityModel,
  access: readonly AccessVerdict[],
  row: Looked | null,
  operation: string,
  isPurge: boolean,
): Answer {
  const denied = access.find(({ verdict }) => verdict === 'denies');
  if (denied !== undefined) return { status: 403, why: `${denied.name}: ${denied.why}` };
  const open = access.find(({ verdict }) => verdict === 'by_body');
  if (open !== undefined) return { status: null, why: `${open.name}: ${open.why}` };
  if (operation === 'read' && model.isView) return VIEW_ANSWER;
  if (operation === 'read') return readAnswer(row);
  if (operation === 'restore' && !model.softDelete)
    return { status: 422, why: `rows of ${model.name} are not deleted softly` };
  if (row !== null && row.slots === null) return { status: 404, why: row.why };
  const isGone = row?.slots != null && isDeleted(row.slots);
  if (isGone && operation !== 'restore' && !isPurge) return { status: 404, why: row.why };
  return writeAnswer(model, access, row, operation, isGone);
}

/** No row is looked up: that would run the statement. */
const VIEW_ANSWER: Answer = {
  status: null,
  why: 'the statement of the view reads, under the rules of the entities that it names, what this user may read',
};

function readAnswer(row: Looked | null): Answer {
  if (row === null) return { status: 200, why: 'the rows that the rules admit' };
  return { status: row.visible ? 200 : 404, why: row.why };
}

function writeAnswer(
  model: EntityModel,
  access: readonly AccessVerdict[],
  row: Looked | null,
  operation: string,
  isGone: boolean,
): Answer {
  const slots = row?.slots ?? null;
  const refusing = slots === null ? undefined : access.find(({ grant }) => !admits(grant, slots));
  if (refusing !== undefined) return { status: 403, why: `${refusing.name} does not admit the row as it is` };
  if (operation === 'restore' && !isGone) return { status: 422, why: 'the row is not deleted' };
  if (slots !== null)
    return { status: 200, why: 'the rules admit it for the row as it is; they are asked again for the changed one' };
  if (operation === 'create' && model.rowRule === null && access.every(({ verdict }) => verdict === 'allows'))
    return { status: 201, why: 'the access rule admits it, and there is no row_rule' };
  return { status: null, why: 'the rules are asked for the row that is written' };
}

interface Listed {
  readonly refused?: Answer;
  readonly plan: Readonly<Record<string, unknown>> | null;
}

/** The plan of a list, as the planner picks it for this user: what the rules say of rows narrows it. */
function listOf(
  session: Session,
  model: EntityModel,
  { query, route }: RowRoute,
  data: object | null,
  request: RequestView,
): Listed {
  const filter = route === 'search' && data !== null ? (data as { filter?: unknown }).filter : undefined;
  const asker = { session, request };
  const more = isRecord(filter) ? parseFilter(model, filter, asker) : undefined;
  if (more !== undefined && isFailure(more)) return { refused: { status: more.status, why: more.message }, plan: null };
  const parameters = new Parameters(query);
  const asked = parseQuery(model, parameters, session, more, asker);
  const words = route === 'search' ? wordsOf(model, data) : null;
  const parsed = words === null ? asked : withWords(asked, words, parameters.cursors);
  if (isFailure(parsed)) return { refused: { status: parsed.status, why: parsed.message }, plan: null };
  const unmasked = crossingFault(parsed) ?? unmaskedFor(session, model, request, parsed);
  if (isFailure(unmasked)) return { refused: { status: unmasked.status, why: unmasked.message }, plan: null };
  if (model.isView) return { plan: { access: 'view', sorted: true, narrowed_by: [] } };
  const known = knownOf(session, model.whole, request, followsReferences(model) ? session.turn() : null);
  const narrowedBy = [...new Set(known.map(({ field }) => field))];
  const bound = boundTo(session.turn(), asker, model.whole, parsed, parsed.deleted);
  const plan = { ...describePlan(planQuery(model.whole, bound, known)), narrowed_by: narrowedBy };
  return { plan: readsElsewhere(parsed) ? { ...plan, looked_up: lookedUpBy(bound) } : plan };
}

/** The paths over references that no index answers, and those of orders and groups: their rows are looked up one by one. */
function lookedUpBy(query: Query): string[] {
  const paths = predicatesIn(query)
    .filter(crosses)
    .map(({ field }) => field);
  return [...new Set([...paths, ...query.far.map(({ name }) => name)])];
}

/** The words that the body of a search asks for; null where it asks for none, or the entity has no text index. */
function wordsOf({ text }: EntityModel, data: object | null): TextQuery | Failure | null {
  const words = isRecord(data) ? data['query'] : undefined;
  return text === null || typeof words !== 'string' ? null : parseWords(text, words, false);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
