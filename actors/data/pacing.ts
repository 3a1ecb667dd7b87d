/**
 * The pace of long work beside a tenant's callers: turns of its own between theirs, none while somebody holds the tenant, room in
 * the overlay before it stages, and a wait for LMDB where the overlay has filled meanwhile.
 */
import { setTimeout } from 'node:timers/promises';
import { TenantClosed } from '#actors/host/exclusive.ts';
import { Work } from '#actors/host/work.ts';
import type { FineClock } from '#actors/kit/clock.ts';
import { limits } from '#config/limits.ts';
import { rowCount } from '#actors/engine/rows/store.ts';
import { isFull } from '#actors/engine/schema/store.ts';
import type { Turn } from '#actors/engine/schema/store.ts';

const pause = (): Promise<void> => setTimeout(limits.data.fullPauseMs);

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * Lets other turns run, and whoever holds the tenant end. Each who waits goes on in a turn of the loop of his own, so that of several who were woken
 * together the first may take it before the next one looks. Throws TenantClosed when the host is about to end.
 */
export async function untilFree(work: Work): Promise<void> {
  const { exclusive } = work.activation;
  for (;;) {
    await nextTurn();
    if (exclusive.closed) throw new TenantClosed();
    if (!heldByOther(work)) return;
    await new Promise<void>((resolve) => exclusive.whenFree(resolve));
  }
}

/**
 * Takes the tenant once nobody else has it. Looked at and taken in one step: of several who were woken together, only one finds
 * it free.
 */
export async function takeWhenFree(work: Work): Promise<void> {
  const { exclusive } = work.activation;
  while (heldByOther(work)) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
  exclusive.take(work);
}

function heldByOther(work: Work): boolean {
  const { exclusive } = work.activation;
  return exclusive.held && !exclusive.isHeldBy(work);
}

/** Does what looks at very many rows: other threads bring what of them lies on the disk into memory beforehand and meanwhile. */
export async function prewarmed<T>(work: Work, tables: readonly number[], run: () => Promise<T>): Promise<T> {
  if (rowsOf(work, tables) < limits.data.prewarmRowsMin) return run();
  const ended = new AbortController();
  work.activation.exclusive.onClose(() => ended.abort());
  try {
    const waited = setTimeout(limits.data.prewarmWaitMsMax, undefined, { ref: false });
    await Promise.race([work.activation.store.prewarm(ended.signal), waited]);
    return await run();
  } finally {
    ended.abort();
  }
}

function rowsOf({ activation }: Work, tables: readonly number[]): number {
  const turn = activation.store.begin();
  const counts = tables.map((table) => rowCount(turn, table));
  turn.abort();
  return counts.reduce((sum, { live, deleted }) => sum + live + deleted, 0);
}

/** Takes steps that stage nothing, in slices between the turns of others. Throws what they throw. */
export async function inTurns<T>(work: Work, steps: Generator<void, T, void>): Promise<T> {
  const { clock } = work.activation.context;
  for (;;) {
    const step = measured(work, () => slice(steps, clock));
    if (step.done === true) return step.value;
    await untilFree(work);
  }
}

/** Takes steps for as long as a slice may look, since the last one comes on top; that one is given. */
function slice<T>(steps: Generator<void, T, void>, clock: FineClock): IteratorResult<void, T> {
  const end = clock.fine() + limits.plans.sliceReadMsMax;
  for (;;) {
    const step = steps.next();
    if (step.done === true || clock.fine() >= end) return step;
  }
}

/** Runs a slice, whose length is told to whoever measures. */
export function measured<T>({ activation }: Work, run: () => T): T {
  const ended = activation.context.beginSlice?.();
  try {
    return run();
  } finally {
    ended?.();
  }
}

/** Waits until the writes that wait for LMDB leave room for others. Throws TenantClosed when the host is about to end. */
export async function roomFor(work: Work, pressureMax: number = limits.data.importPressureMax): Promise<void> {
  while (work.activation.store.pressure > pressureMax) {
    if (work.activation.exclusive.closed) throw new TenantClosed();
    await pause();
  }
}

/** Between two slices of what nobody waits for: the host's other tenants, the disk and LMDB have that time to themselves. */
export async function rest(): Promise<void> {
  await setTimeout(limits.data.restMs);
}

/** Commits what is staged; where other writers have filled the overlay it waits for LMDB, a while. A full disk is a fault at once. */
export async function commitWhenRoom(work: Work): Promise<void> {
  for (let tries = Math.ceil(limits.storage.commitAnswerMs / limits.data.fullPauseMs); ; tries--) {
    try {
      work.commit();
      return;
    } catch (error) {
      // A full overlay makes room; a full disk is another matter.
      if (!isFull(error) || tries === 0) throw error;
    }
    await pause();
  }
}

/**
 * Commits one turn of its own; `then` runs with it, before any other turn. A full overlay is waited for, as is LMDB where it is far
 * behind: the tenant's callers come first. Throws what `fill` throws, with nothing staged.
 */
export async function commitTurn(
  work: Work,
  fill: (turn: Turn) => void,
  then: () => void = () => undefined,
): Promise<void> {
  for (;;) {
    await untilFree(work);
    if (work.activation.store.pressure <= limits.plans.pressureMax && measured(work, () => commits(work, fill, then)))
      return;
    await pause();
  }
}

function commits(work: Work, fill: (turn: Turn) => void, then: () => void): boolean {
  const own = new Work(work.activation);
  try {
    fill(own.turn());
    work.saw(own.commit());
  } catch (error) {
    own.abort();
    if (isFull(error)) return false;
    throw error;
  }
  then();
  return true;
}
