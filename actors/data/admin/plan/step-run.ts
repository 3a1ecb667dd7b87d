/** One step under way: the commits that begin, continue and end it. */
import type { Work } from '#actors/host/work.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { partOf, servedAnew } from '../../part.ts';
import { loadSchema, saveSchema } from '#actors/engine/schema/store.ts';
import type { StoredSchema } from '#actors/engine/schema/stored.ts';
import { commitTurn, rest } from '#actors/host/pace/own-turns.ts';
import { dropProgress, progressOf, putProgress, type Bytes, type Turn } from './store.ts';
import type { StepRecord } from './ledger.ts';
import type { Guard } from '../lock/guard.ts';

/** The rows do not allow the step; what it had begun is undone. */
export class StepFailed extends Error {}

/** The ledger's part of the commits that end a step. */
export interface Ledger {
  applied(turn: Turn, schema: StoredSchema): void;
  failed(turn: Turn, error: string): void;
}

export type Alter = (schema: StoredSchema) => StoredSchema;

export class StepRun {
  readonly work: Work;
  readonly step: StepRecord;
  readonly #guard: Guard;
  readonly #ledger: Ledger;

  constructor(work: Work, step: StepRecord, guard: Guard, ledger: Ledger) {
    this.work = work;
    this.step = step;
    this.#guard = guard;
    this.#ledger = ledger;
  }

  /** The stored schema as it is now. */
  get schema(): StoredSchema {
    const turn = this.work.activation.store.begin();
    const schema = loadSchema(turn);
    turn.abort();
    return schema;
  }

  /** The entity as it is served now. */
  get model(): EntityModel {
    const model = partOf(this.work.activation).models.get(this.step.Entity);
    if (model === undefined)
      throw new StepFailed(`${this.step.Entity} is not declared any more: generate another plan`);
    return model;
  }

  /** Where an earlier run of this step stopped filling `no`, an index or a slot; null where none had begun. */
  placeIn(no: number): Bytes | null {
    const turn = this.work.activation.store.begin();
    const progress = progressOf(turn, this.step);
    turn.abort();
    return progress?.no === no ? progress.from : null;
  }

  /** One commit under the lock. */
  commit(fill: (turn: Turn) => void): Promise<void> {
    return commitTurn(this.work, (turn) => {
      this.#guard(turn);
      fill(turn);
    });
  }

  /** Commits a slice: its writes and where the next one begins; null after the last. */
  async slice(no: number, fill: (turn: Turn) => Bytes | null): Promise<Bytes | null> {
    const kept: { from: Bytes | null } = { from: null };
    await this.commit((turn) => {
      kept.from = fill(turn);
      if (kept.from !== null) putProgress(turn, this.step, { no, from: kept.from });
    });
    if (kept.from !== null) await rest();
    return kept.from;
  }

  /** The first commit of a step that works in slices: from then on writers take the change into account. */
  begin(no: number, from: Bytes, alter: Alter): Promise<void> {
    return this.#alter(alter, (turn) => putProgress(turn, this.step, { no, from }));
  }

  /** The last commit of a step: the schema, the ledger and the models change together. */
  finish(alter: Alter, more: (turn: Turn) => void = () => undefined): Promise<void> {
    return this.#alter(alter, (turn, schema) => {
      dropProgress(turn, this.step);
      more(turn);
      this.#ledger.applied(turn, schema);
    });
  }

  /** Undoes what the step had begun. Throws StepFailed. */
  async fail(error: string, alter: Alter = (schema) => schema): Promise<never> {
    await this.#alter(alter, (turn) => {
      dropProgress(turn, this.step);
      this.#ledger.failed(turn, error);
    });
    throw new StepFailed(error);
  }

  async #alter(alter: Alter, more: (turn: Turn, schema: StoredSchema) => void): Promise<void> {
    let after: StoredSchema | null = null;
    await commitTurn(
      this.work,
      (turn) => {
        this.#guard(turn);
        const before = loadSchema(turn);
        after = alter(before);
        if (after !== before) saveSchema(turn, after);
        more(turn, after);
      },
      () => servedAnew(this.work.activation, after!, [this.step.Entity]),
    );
  }
}
