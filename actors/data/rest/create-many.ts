/** POST of many rows, and of rows that change those which hold a unique key already (docs/contract/data.md §6.8). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { takeSteps } from '#actors/kit/pace/steps.ts';
import { replyJson, type Reply } from '#actors/protocol/route.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { createRows } from '#actors/engine/rows/create-many.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Parameters } from '#actors/engine/rows/parameters.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { statesOf } from '#actors/engine/machines/possible.ts';
import type { Envelope } from '../shapes.ts';
import { asksStates, renderEnvelope, versionTag } from './envelope.ts';
import { failed } from './failed.ts';
import { datastoreFailure, writtenSql } from './written.ts';

type Created = Reply<200 | 201, Envelope> | Refusal<'v2.create_failed'>;

/** The fields of `[on]`; null where it is absent. */
export function keyAsked(parameters: Parameters): readonly string[] | null {
  const list = parameters.first('[on]');
  return list === undefined ? null : [...new Set(list.split(',').map((name) => name.trim()))];
}

/** 201 where all rows were created, 200 where one was changed. The ETag is that of a row that came alone. */
export function createMany(
  call: Call,
  session: Session,
  model: EntityModel,
  parameters: Parameters,
  body: Input | readonly Input[],
): Created | Promise<Created> {
  const isList = Array.isArray(body);
  const rows = (isList ? body : [body]) as readonly Input[];
  const most = limits.data.envelopeRowsMax;
  const unfit =
    datastoreFailure(parameters) ??
    (rows.length > most ? failure(422, `at most ${most} rows in one request`, { rows: rows.length, most }) : null);
  if (unfit !== null) return failed('v2.create_failed', unfit);
  const made = new MadeRows(session, model, parameters);
  const answer = (wrong: Failure | null): Created => {
    if (isFailure(wrong)) return failed('v2.create_failed', wrong);
    return replyJson(made.changed ? 200 : 201, made.envelope(), isList ? undefined : versionTag(made.last!));
  };
  const steps = createRows(session, model, { rows, on: keyAsked(parameters), method: call.method }, (one) =>
    made.add(one),
  );
  const staged = takeSteps(session, steps);
  return staged instanceof Promise ? staged.then(answer) : answer(staged);
}

/** The answer, which grows with each row, so that no turn has to write all of it. */
class MadeRows {
  readonly #session: Session;
  readonly #model: EntityModel;
  readonly #parameters: Parameters;
  readonly #began: number;
  readonly #texts: string[] = [];
  readonly #states: string[] = [];
  readonly #sql: string[] = [];
  #affected = 0;
  /** Whether a row was changed that was there before. */
  changed = false;
  last: Written['after'] = null;

  constructor(session: Session, model: EntityModel, parameters: Parameters) {
    this.#session = session;
    this.#model = model;
    this.#parameters = parameters;
    this.#began = session.clock.now();
  }

  add(written: Written): void {
    const { before, after } = written;
    if (before !== null) this.changed = true;
    if (before !== after) this.#affected++;
    this.#texts.push(this.#model.json(after!));
    if (asksStates(this.#parameters)) this.#states.push(JSON.stringify(statesOf(this.#session, this.#model, after!)));
    if (this.#parameters.flag('stats', 'sendstats')) this.#sql.push(writtenSql(written));
    this.last = after;
  }

  envelope() {
    const stats = () => ({
      sql: this.#sql.join('; '),
      duration_ms: this.#session.clock.now() - this.#began,
      total_count: this.#texts.length,
      include_sql: [],
      rows_affected: this.#affected,
    });
    return renderEnvelope(this.#model, this.#texts, null, this.#parameters, stats, () => this.#states);
  }
}
