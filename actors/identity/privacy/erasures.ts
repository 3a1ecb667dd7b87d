/** Carries out the orders of a tenant, one after the other, beside its callers. Every step may be repeated: the next activation begins where a stop ended this one. */
import { setTimeout } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { ErasedRows } from '#actors/protocol/person.ts';
import { isPlane } from '#actors/protocol/position.ts';
import { tell, type Identity } from '../identity.ts';
import { deleteLinksOf } from '../oauth/store.ts';
import { findErasure, putErasure, readErasures, type ErasureRecord, type Store } from './store.ts';

interface Running {
  now: boolean;
}

const RUNNING = new Part<Running>('erasures', () => ({ now: false }));

/** The host is about to end, or the tenant to sleep: the order stays, and goes on later. */
class Later extends Error {}

/** Begins with the orders that are open, unless they are being carried out. */
export function kickErasures(identity: Identity, activation: Activation): void {
  const running = RUNNING.of(activation);
  if (running.now || activation.exclusive.closed || !hasOpenErasure(activation.store)) return;
  running.now = true;
  activation.exclusive.enter();
  void carryOut(identity, activation).finally(() => {
    running.now = false;
    activation.exclusive.leave();
  });
}

/** Whether a tenant has an order that is not done. */
export const hasOpenErasure = (store: Store): boolean => openOrders({ store }).length > 0;

function openOrders({ store }: Pick<Activation, 'store'>): ErasureRecord[] {
  const turn = store.begin();
  const open = readErasures(turn).filter(({ state }) => state === 'open');
  turn.abort();
  return open;
}

async function carryOut(identity: Identity, activation: Activation): Promise<void> {
  for (;;) {
    const [order] = openOrders(activation);
    if (order === undefined) return;
    try {
      await eraseAll(identity, activation, order);
    } catch (error) {
      if (error instanceof Later) return;
      const facts = { tenant: activation.position.key, erasure: order.id, error: String(error) };
      activation.context.log.warn(facts, 'an erasure could not go on; it is tried again, and after a restart, too');
      await pause(activation, limits.privacy.retryMs).catch(() => undefined);
      if (activation.exclusive.closed || activation.exclusive.wanted) return;
    }
  }
}

async function eraseAll(identity: Identity, activation: Activation, { id }: ErasureRecord): Promise<void> {
  if (!isPlane(activation.position)) await eraseRows(identity, activation, id);
  await eraseLinks(activation, id);
  await eventsInLog(activation);
  const { email } = orderOf(activation, id);
  const audit_lines = await identity.node.ask('person.forget', { key: activation.position.key, email });
  const ended_at = timestamp(activation.context.clock.now());
  commit(activation, (work) => {
    const done = { ...orderOf(activation, id), email: '', state: 'done', ended_at, audit_lines } as const;
    putErasure(work.turn(), done);
    const { user, by, rows } = done;
    const data = { erasure: id, rows, audit_lines };
    tell(identity, work, { actor: by, action: 'auth.user.erased', target: user, data });
  });
}

async function eraseRows(identity: Identity, activation: Activation, id: string): Promise<void> {
  for (;;) {
    stopIfWanted(activation);
    const { user, email, rows } = orderOf(activation, id);
    const step = await identity.node.ask('person.erase', { key: activation.position.key, user, email });
    const counted = { ...orderOf(activation, id), rows: sum(rows, step.rows, step.more) };
    commit(activation, (work) => putErasure(work.turn(), counted));
    if (!step.more) return;
  }
}

/** Rows that stay are met by every step: only those of the last one count. */
function sum(before: ErasedRows, after: ErasedRows, more: boolean): ErasedRows {
  const all: Record<string, ErasedRows[string]> = { ...before };
  for (const [entity, { deleted, anonymized, kept, blocked }] of Object.entries(after)) {
    const was = before[entity];
    all[entity] = {
      deleted: (was?.deleted ?? 0) + deleted,
      anonymized: (was?.anonymized ?? 0) + anonymized,
      kept: more ? 0 : kept,
      blocked: more ? 0 : blocked,
    };
  }
  return all;
}

/** Links of the person with providers: the table has them by provider, so it is walked, a slice in each turn. */
async function eraseLinks(activation: Activation, id: string): Promise<void> {
  const { user } = orderOf(activation, id);
  let after: string | null = '';
  do {
    stopIfWanted(activation);
    const from: string = after;
    after = commit(activation, (work) => deleteLinksOf(work.turn(), user, from, limits.privacy.linkSliceRows));
    await pause(activation, 0);
  } while (after !== null);
}

/** Events that name the person may still be on their way to the log: their personal lines come into being there. */
async function eventsInLog(activation: Activation): Promise<void> {
  const { outbox } = activation;
  if (outbox === undefined) return;
  const upTo = outbox.last;
  while (outbox.last - outbox.depth < upTo) await pause(activation, limits.privacy.lookMs);
}

function commit<T>(activation: Activation, fill: (work: Work) => T): T {
  const work = new Work(activation);
  try {
    const filled = fill(work);
    work.commit();
    return filled;
  } catch (error) {
    work.abort();
    throw error;
  }
}

function orderOf({ store }: Activation, id: string): ErasureRecord {
  const turn = store.begin();
  const order = findErasure(turn, id);
  turn.abort();
  if (order === undefined) throw new Later();
  return order;
}

async function pause(activation: Activation, ms: number): Promise<void> {
  await setTimeout(ms, undefined, { ref: false });
  stopIfWanted(activation);
}

function stopIfWanted({ exclusive }: Activation): void {
  if (exclusive.closed || exclusive.wanted) throw new Later();
}
