/**
 * The pace of long work beside a tenant's callers: turns of its own between theirs, none while another work holds the tenant, room in the
 * overlay before it stages, and a wait for LMDB when the overlay has filled meanwhile.
 */
import { setTimeout } from 'node:timers/promises';
import { Budget, type SliceBound } from '#actors/kit/pace/budget.ts';
import { sliceBySlice, takeSlice, type Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';
import { isFull } from '#storage/fault.ts';
import type { Turn } from '#storage/port.ts';
import { TenantClosed } from '../exclusive.ts';
import { Work } from '../work.ts';
import { nextTurn } from './next-turn.ts';

/** Ended by time alone. */
const SLICE: SliceBound = {
  sliceReadMsMax: limits.plans.sliceReadMsMax,
  sliceRowsMax: Number.POSITIVE_INFINITY,
};

const pause = (): Promise<void> => setTimeout(limits.data.fullPauseMs);

/**
 * Lets other turns run, and a holder of the tenant end. Each waiting work goes on in its own turn of the event loop, so that of several
 * that wake together the first may take the tenant before the next one looks. Throws TenantClosed when the host is about to end.
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

/** Takes the tenant once no other work holds it. Check and take are one step: of several that wake together only one finds it free. */
export async function takeWhenFree(work: Work): Promise<void> {
  const { exclusive } = work.activation;
  while (heldByOther(work)) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
  exclusive.take(work);
}

function heldByOther(work: Work): boolean {
  const { exclusive } = work.activation;
  return exclusive.held && !exclusive.isHeldBy(work);
}

/** Takes steps that stage nothing, in slices between the turns of others. Throws what they throw. */
export async function inTurns<T>(work: Work, steps: Steps<T>): Promise<T> {
  // Bounds a slice, apart from its last step.
  const budget = new Budget(work.activation.context.clock, SLICE);
  const slice = (): IteratorResult<void, T> => measured(work, () => takeSlice(() => steps.next(), budget));
  return sliceBySlice(slice, () => untilFree(work));
}

/** Runs a slice and reports its length, when slices are measured. */
export function measured<T>({ activation }: Work, run: () => T): T {
  const ended = activation.context.beginSlice?.();
  const { clock } = activation.context;
  const began = clock.fine();
  try {
    return run();
  } finally {
    activation.use?.worked(clock.fine() - began);
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

/** A pause between two slices of work that no caller waits for: the host's other tenants, the disk and LMDB have that time. */
export async function rest(): Promise<void> {
  await setTimeout(limits.data.restMs);
}

/** Commits what is staged; while other writers have filled the overlay it waits for LMDB, for a bounded time. A full disk is a fault at once. */
export async function commitWhenRoom(work: Work): Promise<void> {
  for (let tries = Math.ceil(limits.storage.commitAnswerMs / limits.data.fullPauseMs); ; tries--) {
    try {
      work.commit();
      return;
    } catch (error) {
      // A full overlay empties by itself, a full disk does not.
      if (!isFull(error) || tries === 0) throw error;
    }
    await pause();
  }
}

/**
 * Commits one turn of its own; `then` runs with it, before any other turn. It waits while the overlay is full or LMDB is far behind: the
 * tenant's callers come first. Throws what `fill` throws, with nothing staged.
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
