/**
 * Imports rows chunk by chunk, through the create that every caller uses. A chunk is whole or not there: it is staged in slices that end within
 * a turn's budget while it holds the tenant, and joins overlay and journal as one record. Before it begins it waits until LMDB has caught up so
 * far that other writers still find room.
 */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { commitWhenRoom, roomFor, takeWhenFree } from '#actors/host/pace/own-turns.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { prepareCommit } from '#actors/kit/pace/steps.ts';
import { hasRow } from '#actors/engine/rows/store.ts';
import type { Line } from './line.ts';

const SLICE = { sliceReadMsMax: limits.data.sliceMsMax, sliceRowsMax: limits.data.importSliceRows };

export interface ImportOptions {
  readonly chunkRows: number;
  /** Goes on past refused rows; else the first one ends the import, and its chunk is not written. */
  readonly skipErrors: boolean;
  /** Does everything but commit. */
  readonly dryRun: boolean;
  /** Skips a row whose key exists. */
  readonly skipPresent: boolean;
  /** Called before each chunk's commit; what it stages is committed with the chunk. */
  readonly onCommit?: () => void;
}

export interface RowError {
  /** From 1: the row among all of the data, and the line that it begins on. */
  readonly row: number;
  readonly line: number;
  readonly error: string;
  readonly code: 'v2.create_failed' | 'v2.bad_format';
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ImportReport {
  imported: number;
  skipped: number;
  readonly errors: RowError[];
  /** Refused rows that `errors` has no room for. */
  errorsOmitted: number;
}

export class Importer {
  readonly report: ImportReport = { imported: 0, skipped: 0, errors: [], errorsOmitted: 0 };
  readonly #work: Work;
  readonly #session: Session;
  readonly #model: EntityModel;
  readonly #options: ImportOptions;
  #chunk: Line[] = [];
  /** Rows in the chunks before. */
  #before = 0;
  #stopped = false;
  readonly #markers: readonly string[];

  constructor(work: Work, session: Session, model: EntityModel, options: ImportOptions) {
    this.#work = work;
    this.#session = session;
    this.#model = model;
    this.#options = options;
    this.#markers = model.columns.filter(({ marker }) => marker).map(({ name }) => name);
  }

  /** Whether a refused row has ended the import before its end. */
  get isEnded(): boolean {
    return this.#stopped;
  }

  /** Takes rows in; full chunks are written. False when a refused row has ended the import. */
  async add(lines: readonly Line[]): Promise<boolean> {
    for (const line of lines) {
      if (this.#stopped) break;
      this.#chunk.push(line);
      if (this.#chunk.length >= this.#options.chunkRows) await this.flush();
    }
    return !this.#stopped;
  }

  /** Writes the rows that are no full chunk. Throws StorageFull when the archive takes none; they are not written then. */
  async flush(): Promise<void> {
    const chunk = this.#chunk;
    this.#chunk = [];
    this.#before += chunk.length;
    if (chunk.length === 0 || this.#stopped) return;
    await roomFor(this.#work);
    await takeWhenFree(this.#work);
    try {
      await this.#write(chunk);
    } finally {
      this.#work.abort(); // drops what a fault left staged, and releases the tenant
    }
  }

  async #write(chunk: readonly Line[]): Promise<void> {
    let taken = 0;
    const budget = new Budget(this.#session.clock, SLICE);
    for (let at = 0; at < chunk.length; at++) {
      if (budget.look()) {
        await this.#session.yieldTurn();
        budget.next();
      }
      budget.count();
      const outcome = this.#create(chunk[at]!);
      if (outcome === 'taken') taken++;
      else if (outcome === 'present') this.report.skipped++;
      else if (!this.#refused(this.#before - chunk.length + at + 1, chunk[at]!, outcome)) {
        this.#work.abort();
        return;
      }
    }
    if (this.#options.dryRun) this.#work.abort();
    else {
      await prepareCommit(this.#session);
      this.#options.onCommit?.();
      await commitWhenRoom(this.#work);
    }
    this.report.imported += taken;
  }

  #create({ input, fault }: Line): 'taken' | 'present' | Failure {
    if (input === null) return failure(422, fault);
    const session = this.#session;
    const model = this.#model;
    if (this.#options.skipPresent && isPresent(session, model, input[model.key.name])) return 'present';
    const data = this.#given(input);
    const request = { method: 'POST', operation: 'create', entity: model.name, id: null, data };
    try {
      const written = createRow(session, model, data, request);
      return isFailure(written) ? written : 'taken';
    } catch (error) {
      if (!(error instanceof OutOfFuel)) throw error;
      return failure(
        422,
        'the row costs more to check than one row may: its texts are too long for the patterns and rules',
      );
    }
  }

  /** The row without the fields that the service keeps itself: every export has them, and an import sets them anew. */
  #given(input: Input): Input {
    if (!this.#markers.some((name) => Object.hasOwn(input, name))) return input;
    const given: Record<string, unknown> = { ...input };
    for (const name of this.#markers) delete given[name];
    return given;
  }

  /** Notes a refused row; false when it ends the import. */
  #refused(row: number, { line, input }: Line, { message, details }: Failure): boolean {
    const { report } = this;
    if (report.errors.length >= limits.data.importErrorsMax) report.errorsOmitted++;
    else {
      const code = input === null ? 'v2.bad_format' : 'v2.create_failed';
      report.errors.push({ row, line, error: message, code, ...(details !== undefined && { details }) });
    }
    if (this.#options.skipErrors) report.skipped++;
    else this.#stopped = true;
    return !this.#stopped;
  }
}

function isPresent(session: Session, model: EntityModel, key: unknown): boolean {
  return key !== undefined && hasRow(session.turn(), model, model.idOf(key) ?? '');
}
