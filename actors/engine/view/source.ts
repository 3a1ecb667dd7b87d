/**
 * Reads a view: runs its statement as the caller, then asks the query of the rows that it gave (docs/contract/data.md §5.13). What the
 * statement reads is what the caller may read, so whatever is asked of its rows tells no more.
 */
import type { EntityDefinition } from '#config/definitions/product.ts';
import { bothOf, visibleTo, type Grant } from '../rows/access.ts';
import type { Plan } from '../rows/access-path.ts';
import { runPlan } from '../rows/execute.ts';
import { denied, failure, isFailure, thrownFailure, type Failure } from '../rows/failure.ts';
import type { Admits } from '../rows/filter.ts';
import type { Found } from '../rows/found.ts';
import { collectGroups } from '../rows/group/collect.ts';
import type { EntityModel } from '../rows/model.ts';
import { readInSlices } from '../rows/pace.ts';
import { isBackward, reversed, type Query } from '../rows/query.ts';
import { unmaskedFor } from '../rows/read.ts';
import type { RowSource } from '../rows/row-source.ts';
import type { RequestView, Session } from '../rows/session.ts';
import type { Reader } from '../rows/store.ts';
import type { CompiledSql, SqlOutcome } from '../sql/compiled.ts';
import { executeSql } from '../sql/execute.ts';
import { servedTables } from '../sql/schema.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { compileView } from './compile.ts';
import { narrowedBy } from './narrow.ts';
import { ViewRows } from './rows.ts';

interface Run {
  readonly asked: Query;
  readonly query: Query;
  readonly visible: Admits | null;
  readonly plan: Plan;
}

/** The statement over the models that it was compiled for. */
interface Served {
  readonly models: readonly (EntityModel | undefined)[];
  readonly sql: CompiledSql;
}

export class ViewSource implements RowSource {
  readonly #definition: EntityDefinition;
  readonly #model: EntityModel;
  #served: Served | null = null;

  constructor(definition: EntityDefinition, model: EntityModel) {
    this.#definition = definition;
    this.#model = model;
  }

  find(
    session: Session,
    request: RequestView,
    parse: () => Query | Failure,
    also: Grant,
  ): Found | Failure | Promise<Found | Failure> {
    const model = this.#model;
    const seen = visibleTo(session, model, request);
    const grant = bothOf(seen, also);
    if (seen === 'none' || grant === 'none') return denied('read', model.name);
    const asked = parse();
    if (isFailure(asked)) return asked;
    const unmasked = unmaskedFor(session, model, request, asked);
    if (isFailure(unmasked)) return unmasked;
    const sql = this.#statement(session);
    if (isFailure(sql)) return sql;
    const query = isBackward(asked) ? reversed(asked, model.key.name) : asked;
    const visible = grant === 'all' ? null : grant;
    const outcome = executeSql(sql, {}, session, request.method, narrowedBy(sql, model, query));
    const given = (ran: SqlOutcome): Found | Failure | Promise<Found | Failure> =>
      isFailure(ran) ? ran : found(session, model, { asked, query, visible }, ran.rows ?? []);
    return outcome instanceof Promise ? outcome.then(given) : given(outcome);
  }

  /** The statement over the models of now, compiled by the first read over them, as a section of an action is. 500 while what it names is not stored yet. */
  #statement(session: Session): CompiledSql | Failure {
    const model = (entity: string): EntityModel | undefined => session.model(entity)?.whole;
    const served = this.#served;
    if (served !== null && served.sql.entities.every((entity, at) => served.models[at] === model(entity)))
      return served.sql;
    try {
      const sql = compileView(this.#definition, servedTables({ get: model }));
      this.#served = { sql, models: sql.entities.map(model) };
      return sql;
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      return failure(500, `the stored schema lacks what the view ${this.#model.name} names: provision the tenant`);
    }
  }
}

function found(
  session: Session,
  model: EntityModel,
  run: Omit<Run, 'plan'>,
  rows: readonly Readonly<Record<string, unknown>>[],
): Found | Failure | Promise<Found | Failure> {
  const plan: Plan = { kind: 'given', begin: () => new ViewRows(model, rows), ordered: false, reverse: false };
  return readInSlices(session, false, (reader, pace) => refusing(reading(model, { ...run, plan }, reader, pace)));
}

function* refusing(steps: Steps<Found | Failure>): Steps<Found | Failure> {
  try {
    return yield* steps;
  } catch (error) {
    const refused = thrownFailure(error);
    if (refused === null) throw error;
    return refused;
  }
}

function* reading(
  model: EntityModel,
  { asked, query, visible, plan }: Run,
  reader: Reader,
  pace: Budget,
): Steps<Found | Failure> {
  const common = { kind: 'found', related: [], query: asked, plan, unmasked: 'none' } as const;
  if (query.group !== null) {
    const groups = yield* collectGroups(reader, pace, model, query, query.group, plan, visible);
    if (isFailure(groups)) return groups;
    const { total, more } = groups;
    return { ...common, rows: [], groups: groups.groups, total: query.counted ? total : null, more, looked: 0 };
  }
  // The rows are sorted, and there are no more than the statement may hold: no index could have given another order than the wanted one.
  const { rows, total, more, looked } = (yield* runPlan(reader, pace, model, query, plan, visible))!;
  return { ...common, rows: isBackward(asked) ? rows.toReversed() : rows, groups: null, total, more, looked };
}
