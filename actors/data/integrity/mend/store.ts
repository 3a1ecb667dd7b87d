/**
 * Mends a tenant while it is served: what a step of the scrubber finds is mended before any other turn runs, while it is as the step saw it.
 * Between two steps callers have their turns, and a mutation that holds the tenant is waited for. Rows count as right, and the rest is made to
 * fit them; a row that cannot be read is left, unless `dropRows` is set: its bytes then go to the table of rows that were set aside.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { nextSlice } from '#actors/host/pace/slice-ring.ts';
import { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { putAside } from '#actors/engine/rows/set-aside/store.ts';
import { roomFor, takeWhenFree, untilFree } from '#actors/host/pace/own-turns.ts';
import { partOf } from '../../part.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import { entrySteps, scrubEntities } from '#actors/engine/integrity/scrub/store.ts';
import { readerOf, TableCheck } from '#actors/engine/integrity/store.ts';
import type { IntegrityFault, IntegrityKind, Tally } from '#actors/engine/integrity/store.ts';

export interface MendReport {
  /** Faults that were mended, by kind. */
  readonly mended: Readonly<Partial<Record<IntegrityKind, number>>>;
  /** Faults that are still there: rows that cannot be read, values that two rows hold. */
  readonly left: number;
}

export interface MendWish {
  readonly dropRows: boolean;
  readonly by: string;
}

/** How the mend lets other work run and reports its own; see `Pace` of the archive. */
export interface MendPace {
  did(entries: number): void;
  rest(): Promise<void>;
}

/** A row that is taken out leaves entries that lead nowhere, for the next round; after that no new faults are expected. */
const ROUNDS_MAX = 3;

export async function mendEntities(activation: Activation, wish: MendWish, pace: MendPace): Promise<MendReport> {
  const mended: Partial<Record<IntegrityKind, number>> = {};
  let left = 0;
  activation.exclusive.enter();
  try {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const seen = await mendRound(activation, wish, pace);
      left = seen.left;
      for (const kind of seen.mended) mended[kind] = (mended[kind] ?? 0) + 1;
      if (seen.mended.length === 0) break;
    }
  } finally {
    activation.exclusive.leave();
  }
  return { mended, left };
}

interface Round {
  readonly mended: IntegrityKind[];
  readonly counts: IntegrityFault[];
  left: number;
}

async function mendRound(activation: Activation, wish: MendWish, pace: MendPace): Promise<Round> {
  const { context, store } = activation;
  const work = new Work(activation);
  const round: Round = { mended: [], counts: [], left: 0 };
  let end = 0;
  const steps = scrubEntities({
    now: store.begin(),
    frozen: () => store.snapshot(limits.scrub.countMsMax),
    isOver: () => context.clock.fine() >= end,
    fine: () => context.clock.fine(),
  });
  for (;;) {
    await pace.rest();
    await roomFor(work);
    await untilFree(work);
    end = context.clock.fine() + limits.plans.sliceReadMsMax;
    const step = steps.next();
    if (step.done === true) {
      if (!step.value) throw new Error('the schema of the tenant changed during the mend: run it again');
      break;
    }
    pace.did(step.value.entries);
    // No other turn runs between the step and this, so what it saw still holds.
    mendNow(activation, step.value.faults, wish, round);
  }
  for (const { entity } of round.counts) await mendCount(activation, entity, round);
  return round;
}

function mendNow(activation: Activation, faults: readonly IntegrityFault[], wish: MendWish, round: Round): void {
  if (faults.length === 0) return;
  const turn = activation.store.begin();
  const aside = { at: timestamp(activation.context.clock.now()), by: wish.by };
  for (const fault of faults) {
    if (fault.kind === 'count') {
      round.counts.push(fault);
      continue;
    }
    if (fault.mend.length === 0 || (fault.kind === 'row' && !wish.dropRows)) {
      round.left++;
      continue;
    }
    if (fault.kind === 'row') putAside(turn, fault.entity, fault.key, aside);
    else
      for (const [key, value] of fault.mend) {
        if (value === null) turn.del(key);
        else turn.put(key, value);
      }
    round.mended.push(fault.kind);
  }
  turn.commit();
  for (const { kind, entity, key } of faults)
    if (kind === 'row' && wish.dropRows) partOf(activation).models.get(entity)?.unread?.gone(entity, key.slice(2));
}

/** The tenant is held, so that the counter and the rows that it counts are of one moment. */
async function mendCount(activation: Activation, entity: string, round: Round): Promise<void> {
  const work = new Work(activation);
  await takeWhenFree(work);
  try {
    const { clock } = activation.context;
    const turn = work.turn();
    const stored = loadSchema(turn).entities.find(({ name }) => name === entity);
    if (stored === undefined) return;
    const table = new TableCheck(readerOf(turn), stored);
    const tally: Tally = { live: 0, deleted: 0, unread: 0, bytes: 0 };
    let end = 0;
    const isOver = (): boolean => clock.fine() >= end;
    const steps = entrySteps({ isOver }, turn, tableRange(stored.table), (row) => table.countRow(row, tally));
    do {
      await nextSlice(activation.tenantNo);
      end = clock.fine() + limits.plans.sliceReadMsMax;
    } while (steps.next().done !== true);
    for (const { mend } of table.checkCount(tally)) for (const [key, value] of mend) turn.put(key, value!);
    work.commit();
    round.mended.push('count');
  } finally {
    work.abort();
  }
}
