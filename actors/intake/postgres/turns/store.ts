/** Changes of the store in the database, one behind the other: each follows the head that the one before has left. */
import { limits } from '#config/limits.ts';
import { NO_CHANGE, type Change, type Head, type NewLine } from '#storage/submissions/change.ts';
import type { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { LogEnd } from '../../log/store.ts';
import { digestOf, lineOf, type Accepted, type Submission } from '../../submission.ts';
import type { DatabasePort } from '../../writer.ts';
import { waitingOf } from '../lines.ts';

export interface TurnsPorts {
  readonly clock: Clock;
  /** A change that no caller waits for was refused, or another owner has the store. */
  readonly onFatal: (error: Error) => void;
}

export class Turns implements DatabasePort<Accepted, LogEnd> {
  readonly #database: Pick<PostgresSubmissions, 'commit' | 'known'>;
  readonly #ports: TurnsPorts;
  readonly #serial = new Serial();
  /** Changes that no caller waits for: they join the next one. */
  #side: Partial<Change>[] = [];
  #running = 0;
  #isSealed = false;
  head: Head;
  /** Is told of each durable submission, with the digest of its fields. */
  onAdded: (submission: Submission, digest: string) => void = () => undefined;

  constructor(database: Pick<PostgresSubmissions, 'commit' | 'known'>, head: Head, ports: TurnsPorts) {
    this.#database = database;
    this.#ports = ports;
    this.head = head;
  }

  /** A batch of the writer's, in as many statements as its bytes ask for. */
  async commit(batch: readonly Accepted[]): Promise<void> {
    const lines = batch.map((submission) => newLine(submission));
    for (let from = 0; from < lines.length;) {
      const to = endOf(lines, from);
      await this.change({ waiting: batch.slice(from, to).flatMap(waitingOf) }, lines.slice(from, to));
      from = to;
    }
    for (const [at, submission] of batch.entries()) this.onAdded(submission, lines[at]!.digest ?? '');
  }

  /** As `commit`, without what the database has by its id already: of a taking-in that was cut short. Gives how many were added. */
  async takeIn(batch: readonly Accepted[]): Promise<number> {
    const known = await this.#database.known(batch.map(({ id }) => id));
    const added = batch.filter(({ id }) => !known.has(id));
    await this.commit(added);
    return added.length;
  }

  /** Resolves when the change is on all copies. */
  change(change: Partial<Change>, lines: readonly NewLine[] = []): Promise<void> {
    this.#running++;
    const mine = this.#serial.run(async () => {
      const side = this.#side;
      this.#side = [];
      const all = [change, ...side];
      if (lines.length === 0 && all.every(isEmpty)) return;
      this.head = await this.#database.commit(this.head, { ...joined(all), lines });
    });
    const over = (): void => void this.#running--;
    mine.then(over, over);
    return mine;
  }

  /** Adds a change that no caller waits for; makes it where none is under way. */
  later(change: Partial<Change>): void {
    if (this.#isSealed) return;
    this.#side.push(change);
    if (this.#running === 0) this.flush().catch(this.#ports.onFatal);
  }

  /** Makes the changes of `later`, for the last time: those that come behind it are not made. */
  async seal(): Promise<void> {
    this.#isSealed = true;
    await this.flush();
  }

  /** Makes the changes of `later`. */
  flush(): Promise<void> {
    return this.change({});
  }
}

function newLine(submission: Accepted): NewLine {
  const { id, form, received_at, fields, idempotency_key } = submission;
  const key = idempotency_key === '' ? null : idempotency_key;
  const digest = key === null ? null : digestOf(fields);
  return { id, form, at: Date.parse(received_at), key, digest, body: lineOf(submission) };
}

/** Up to where lines go in one statement: one at least. */
function endOf(lines: readonly NewLine[], from: number): number {
  let bytes = 0;
  let to = from;
  while (to < lines.length) {
    bytes += Buffer.byteLength(lines[to]!.body);
    if (to > from && bytes > limits.intake.databaseBytesMax) break;
    to++;
  }
  return to;
}

function joined(changes: readonly Partial<Change>[]): Change {
  return changes.reduce<Change>(
    (all, one) => ({
      lines: [],
      waiting: [...all.waiting, ...(one.waiting ?? [])],
      settled: [...all.settled, ...(one.settled ?? [])],
      keepers: [...all.keepers, ...(one.keepers ?? [])],
      forms: [...all.forms, ...(one.forms ?? [])],
      gone: one.gone ?? all.gone,
      trim: one.trim ?? all.trim,
    }),
    NO_CHANGE,
  );
}

function isEmpty(change: Partial<Change>): boolean {
  return Object.values(change).every((part) => part === null || (Array.isArray(part) && part.length === 0));
}
