/** Runs compiled statements under the caller's rules. */
import { integerValue } from '#config/values/decimal.ts';
import { untimed } from '#actors/kit/clock.ts';
import { inFuel, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { failure, isFailure, thrownFailure, type Failure } from '../rows/failure.ts';
import { frozen } from '../rows/frozen.ts';
import { Budget, type SliceBound } from '#actors/kit/pace/budget.ts';
import { inSlices, overSnapshot, TookTooLong } from '#actors/kit/pace/steps.ts';
import { sessionWith, type Session } from '../rows/session.ts';
import type { CompiledSql, SqlOutcome, SqlResult } from './compiled.ts';
import { SqlFault } from './fault.ts';
import type { Looks } from './looks.ts';
import { Run, type Narrowed, type Steps } from './run.ts';
import type { Output } from './select/relation.ts';
import type { ParameterType, SqlType, Value } from './type.ts';
import { parameterValue } from './value/cast.ts';
import { intervalText, type Interval } from './value/interval.ts';

const SLICE: SliceBound = { sliceReadMsMax: limits.data.sliceMsMax, sliceRowsMax: limits.sql.turnRowsMax };

/** Selects that did not fit into a turn when they last ran: they begin over a snapshot at once, and what the turn would have read is not read twice. */
const longReads = new WeakSet<CompiledSql>();

/**
 * Runs a statement in the session's turn: it reads and stages there, and the caller commits. Synchronous unless it is long; a long read
 * is repeated over one snapshot, a long write holds the tenant. `values` by the names of the parameters; a missing one is null.
 * `method` is what rules see as `request.method`. `narrowed`: conditions that rows of tables must meet besides. `looks`: where the run says what it looked at.
 * A failure (403, 404, 422, 500) means that the turn must be dropped: some rows may be staged.
 */
export function executeSql(
  compiled: CompiledSql,
  values: Readonly<Record<string, unknown>>,
  session: Session,
  method = 'POST',
  narrowed: Narrowed | null = null,
  looks: Looks | null = null,
): SqlOutcome | Promise<SqlOutcome> {
  const parameters = parametersOf(compiled, values);
  if (isFailure(parameters)) return parameters;
  const overSnapshotNow = (): Promise<SqlOutcome> =>
    readOverSnapshot(compiled, session, (over, pace) => new Run(over, method, parameters, pace, narrowed, looks));
  if (longReads.has(compiled) && !session.turn().dirty) return overSnapshotNow();
  const turn = compiled.writes ? session : withinTurn(session);
  const run = new Run(turn, method, parameters, new Budget(turn.clock, SLICE), narrowed, looks);
  try {
    const steps = shownSteps(compiled, run);
    const step = inFuel(() => steps.next());
    if (step.done === true) return step.value;
    if (step.value !== undefined) step.value.catch(() => undefined);
    if (session.turn().dirty && (!compiled.writes || step.value !== undefined)) return tooLong();
    return compiled.writes ? holding(run, steps, step.value) : overSnapshotNow();
  } catch (error) {
    if (error instanceof OutOfFuel && !compiled.writes && !session.turn().dirty) return overSnapshotNow();
    return failureOf(error);
  }
}

/** A long read needs a snapshot, which does not show what this turn has staged. */
function tooLong(): Failure {
  return failure(422, 'a statement that follows changes of the same request cannot look at so many rows');
}

/**
 * The session of a read that is tried within its turn. It gives no snapshot: a read that does not fit begins again over its own. One that follows
 * changes has no further slice: rows and fuel alone decide whether it fits, however busy the machine is.
 */
function withinTurn(session: Session): Session {
  const refused = (): never => {
    throw new SqlFault('a read that is tried within its turn takes no snapshot');
  };
  const clock = session.turn().dirty ? untimed(session.clock) : session.clock;
  return sessionWith(session, { beginSlices: refused, snapshot: refused, clock });
}

async function readOverSnapshot(
  compiled: CompiledSql,
  session: Session,
  runOver: (session: Session, pace: Budget) => Run,
): Promise<SqlOutcome> {
  const others = session.beginSlices();
  if (others !== null) await others;
  const view = frozen(session);
  const budget = new Budget(session.clock, SLICE);
  const run = runOver(view.session, budget);
  const work = (): Steps<SqlResult> => notingLength(compiled, shownSteps(compiled, run));
  try {
    return await overSnapshot(session, budget, view, work, Promise.resolve());
  } catch (error) {
    return failureOf(error);
  }
}

function* notingLength(compiled: CompiledSql, steps: Steps<SqlResult>): Steps<SqlResult> {
  let step = steps.next();
  if (step.done === true) longReads.delete(compiled);
  else longReads.add(compiled);
  while (step.done !== true) step = steps.next(yield step.value);
  return step.value;
}

/** A long write holds its tenant until it is done. A read that it waits for began in the same turn, so it sees the newest state. */
async function holding(run: Run, steps: Steps<SqlResult>, waiting: Promise<unknown> | void): Promise<SqlOutcome> {
  const { session, pace } = run;
  session.hold();
  try {
    return await inSlices(session, pace, steps, waiting ?? session.yieldTurn());
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Failure {
  const thrown = thrownFailure(error);
  if (thrown !== null) return thrown;
  if (error instanceof SqlFault) return failure(422, error.message);
  if (error instanceof TookTooLong)
    return failure(500, `the statement took longer than ${limits.storage.snapshotMsMax} ms`);
  if (error instanceof OutOfFuel)
    return failure(422, 'one step of the statement costs more than may be done at a stretch');
  throw error;
}

/** The values in the order of the parameters, converted to their types. */
function parametersOf(
  { parameters, parameterTypes }: CompiledSql,
  values: Readonly<Record<string, unknown>>,
): Value[] | Failure {
  const bound: Value[] = [];
  for (const name of parameters) {
    const given = Object.hasOwn(values, name) ? values[name] : null;
    try {
      bound.push(boundValue(parameterTypes[name]!, given));
    } catch (error) {
      if (!(error instanceof SqlFault)) throw error;
      return failure(422, `parameter ${name}: ${error.message}`, { parameter: name });
    }
  }
  return bound;
}

function boundValue(type: ParameterType, given: unknown): Value {
  if (!type.endsWith('[]')) return parameterValue(type, given);
  if (given === null || given === undefined) return null;
  if (!Array.isArray(given)) throw new SqlFault('this is no list');
  if (given.length > limits.data.filterValuesMax)
    throw new SqlFault(`a list has at most ${limits.data.filterValuesMax} values`);
  return given.map((one) => parameterValue(type.slice(0, -2) as SqlType, one));
}

/** How many shown values cost a turn as much as one row. */
const VALUES_PER_ROW = 64;

/** Runs the statement and makes the result as it is shown to the caller. */
function* shownSteps({ statement }: CompiledSql, run: Run): Steps<SqlResult> {
  const { total, rows } = yield* statement.run(run);
  const { columns } = statement;
  if (columns === null || rows === null) return { total };
  const shown: Record<string, unknown>[] = [];
  const cost = columns.length / VALUES_PER_ROW;
  for (const row of rows) {
    shown.push(shownRow(columns, row));
    if (shown.length % limits.sql.strideRows === 0 && run.pace.spend(limits.sql.strideRows * cost)) yield;
  }
  return { total, rows: shown };
}

function shownRow(columns: readonly Output[], row: readonly Value[]): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) shown[columns[i]!.name] = shownValue(columns[i]!, row[i]);
  return shown;
}

/** The value as all surfaces show it: exact decimals as texts, integers as numbers while these are exact. */
function shownValue({ type, integral }: Output, value: Value): Value {
  if (value === null || value === undefined) return null;
  if (integral && type === 'numeric') return integerValue(value) ?? value;
  return type === 'interval' ? intervalText(value as Interval) : value;
}
