/** Removes changes that are too old, too many or too large together, in slices between the turns of callers (docs/contract/changes.md §3). */
import { durationMs } from '#config/values/duration.ts';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { commitTurn } from '#actors/host/pace/own-turns.ts';
import { TenantClosed } from '#actors/host/exclusive.ts';
import { Work } from '#actors/host/work.ts';
import { positionAt } from './position.ts';
import { findHead, oldestEntries, putHead, type ChangeHead, type EntrySize, type Turn } from './store.ts';

/** What a tenant keeps. */
export interface Keep {
  readonly ms: number;
  readonly count: number;
}

function keepOf({ product: { settings } }: Pick<Activation, 'product'>): Keep {
  const { keep, count = limits.changes.count } = settings.changes ?? {};
  return { ms: keep === undefined ? limits.changes.keepMs : durationMs(keep), count };
}

export interface Swept {
  /** More are to go. */
  readonly more: boolean;
  /** All up to this number are gone. */
  readonly to: number;
}

/** Removes up to `most` changes from the oldest on. `from`: those up to there are gone; what lies behind is not looked for among what was removed and is not written yet. */
export function sweepSlice(turn: Turn, keep: Keep, nowMs: number, most: number, from = -1): Swept {
  const head = findHead(turn);
  if (head === undefined) return { more: false, to: from };
  const old = positionAt(nowMs - keep.ms);
  const bytesMax = limits.changes.bytesMax - limits.changes.sweepSlackBytes;
  let { floor, count, bytes } = head;
  const gone: EntrySize[] = [];
  let to = from;
  for (const entry of oldestEntries(turn, from)) {
    const isOver = count > keep.count || bytes > bytesMax;
    if (!isOver && entry.seq > head.floor && entry.seq > old) break;
    gone.push(entry);
    to = entry.seq;
    floor = Math.max(floor, entry.seq);
    count--;
    bytes -= entry.bytes;
    if (gone.length === most) break;
  }
  for (const { key } of gone) turn.del(key);
  if (gone.length > 0) putHead(turn, { ...head, floor, count, bytes });
  return { more: gone.length === most, to };
}

export class Sweeper {
  readonly #activation: Activation;
  #isAtWork = false;
  #sweptAtMs = 0;
  /** All changes up to this number are gone. */
  #sweptTo = -1;

  constructor(activation: Activation) {
    this.#activation = activation;
  }

  /** Looks whether something is to go: where there is too much, and from time to time for what has become old. */
  look(head: ChangeHead | null): void {
    const { count } = keepOf(this.#activation);
    const slack = Math.min(limits.changes.sweepSlack, Math.floor(count / 10));
    const isOver = head !== null && (head.count > count + slack || head.bytes > limits.changes.bytesMax);
    const now = this.#activation.context.clock.now();
    if (!isOver && Math.abs(now - this.#sweptAtMs) < limits.changes.sweepEveryMs) return;
    this.soon();
  }

  /** Sweeps once no sweep is at work. */
  soon(): void {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    this.#sweptAtMs = this.#activation.context.clock.now();
    void this.#sweep()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => (this.#isAtWork = false));
  }

  async #sweep(): Promise<void> {
    const { context, exclusive } = this.#activation;
    const work = new Work(this.#activation);
    const slice = async (): Promise<boolean> => {
      let swept: Swept = { more: false, to: this.#sweptTo };
      await commitTurn(work, (turn) => {
        swept = sweepSlice(
          turn,
          keepOf(this.#activation),
          context.clock.now(),
          limits.changes.sweepRows,
          this.#sweptTo,
        );
      });
      this.#sweptTo = swept.to;
      return swept.more;
    };
    for (let more = true; more && !exclusive.wanted;) more = await slice();
  }

  /** The next look sweeps again. */
  #failed(error: unknown): void {
    if (error instanceof TenantClosed) return;
    const { context, position } = this.#activation;
    context.log.warn(
      { err: error, tenant: position.key },
      'changes that are kept for subscribers could not be removed: they take room until the next sweep, a minute from now',
    );
  }
}
