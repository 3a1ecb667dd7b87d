/** What administrators of a tenant and operators of its node do with events that wait or have failed (docs/contract/triggers.md §4). */
import { isCronTrigger, isRowTrigger } from '#config/definitions/trigger-shapes.ts';
import type { TriggerDefinition, TriggerKind } from '#config/definitions/trigger-shapes.ts';
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { placeOf } from './cron/store.ts';
import { triggersOf } from './part.ts';
import { entryAnew, submissionWaits } from './submitted.ts';
import { countOf } from './counts.ts';
import { dropRecord, findRecord, scanRecords } from './store.ts';
import type { TriggerCount, TriggerEntry, TriggerRecord, Turn } from './store.ts';

const KINDS = ['webhook', 'mail', 'script'] as const satisfies readonly TriggerKind[];
export const EVENT_OUTCOMES = ['waiting', 'refused', 'failed', 'dropped'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

/** A trigger with the counts of its events. Where a webhook goes is not shown: an address may hold a secret. */
export type ShownTrigger = TriggerCount & {
  readonly name: string;
  /** Null of a cron trigger, which is about no row. */
  readonly entity: string | null;
  readonly events: ('created' | 'updated' | 'deleted' | 'restored')[];
  readonly kind: TriggerKind;
  readonly role: string | null;
  readonly action: string | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly next_at: string | null;
  /** Null of a trigger that is about no submissions. */
  readonly form: string | null;
  /** The row that a submission becomes; null of any other trigger. */
  readonly row: { entity: string; fields: Record<string, string> } | null;
};

export function listTriggers(work: Work): ShownTrigger[] {
  const turn = work.turn();
  return [...triggersOf(work.activation).byName.values()].map((trigger) => {
    const { name, target } = trigger;
    const { role, action = null, row } = target.kind === 'script' ? target : { role: null };
    const made = row === undefined ? null : { entity: row.entity, fields: { ...row.fields } };
    return { ...firedBy(turn, trigger), name, kind: target.kind, role, action, row: made, ...countOf(work, name) };
  });
}

type FiredBy = Pick<ShownTrigger, 'entity' | 'events' | 'cron' | 'timezone' | 'next_at' | 'form'>;

const NOTHING: FiredBy = { entity: null, events: [], cron: null, timezone: null, next_at: null, form: null };

function firedBy(turn: Turn, trigger: TriggerDefinition): FiredBy {
  if (isRowTrigger(trigger)) {
    const { entity, events } = trigger;
    return { ...NOTHING, entity, events: [...events] };
  }
  if (!isCronTrigger(trigger)) return { ...NOTHING, form: trigger.form };
  const { expression: cron, timezone } = trigger.cron;
  const place = placeOf(turn, trigger.name);
  return { ...NOTHING, cron, timezone, next_at: place === undefined ? null : timestamp(place.next_ms) };
}

/** An event without anything of its row but the row's id. */
export interface ShownEvent {
  readonly id: string;
  readonly trigger: string;
  readonly kind: TriggerKind;
  /** Null, as is the key, of the event of a cron trigger and of a submission. */
  readonly entity: string | null;
  readonly event: ShownTrigger['events'][number] | 'due' | 'submitted';
  readonly key: string | null;
  readonly version: number;
  readonly due: string | null;
  readonly at: string;
  readonly depth: number;
  readonly outcome: EventOutcome;
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
  /** When a script that failed runs again; null of every other event. */
  readonly next_at: string | null;
  readonly ended_at: string | null;
}

/** At most `most` events: those that wait, oldest first, then those that have ended, newest first. `outcome` null: all. */
export function listEvents(work: Work, outcome: EventOutcome | null, most: number): ShownEvent[] {
  const turn = work.turn();
  const { outbox } = triggersOf(work.activation).sinks;
  const found: ShownEvent[] = [];
  for (const kind of outcome === null || outcome === 'waiting' ? KINDS : [])
    for (const entry of outbox[kind].entries(turn)) {
      if (found.length >= most) break;
      found.push(shownWaiting(entry));
    }
  for (const record of outcome === 'waiting' ? [] : scanRecords(turn, true)) {
    if (found.length >= most) break;
    if (outcome === null || record.outcome === outcome) found.push(shownEnded(record));
  }
  return found;
}

function shownWaiting(entry: TriggerEntry): ShownEvent {
  const { attempts = 0, error = null, next_ms = 0 } = entry;
  // 0: an administrator has asked for it now.
  const next_at = next_ms === 0 ? null : timestamp(next_ms);
  return { ...commonOf(entry), outcome: 'waiting', attempts, status: null, error, next_at, ended_at: null };
}

function shownEnded(record: TriggerRecord): ShownEvent {
  const { outcome, attempts, status, error, ended_at } = record;
  return { ...commonOf(record), outcome, attempts, status, error, next_at: null, ended_at };
}

function commonOf(one: TriggerEntry | TriggerRecord) {
  const { id, trigger, kind, event, version, at, depth, due = null } = one;
  const isOfRow = event !== 'due' && event !== 'submitted';
  const about = isOfRow ? { entity: one.entity, key: String(one.key) } : { entity: null, key: null };
  return { id, trigger, kind, ...about, event, version, due, at, depth };
}

/**
 * Puts an ended event back under its id, so that a receiver recognizes it; a script that waits for its next attempt runs soon. `full`: too many
 * events of its trigger wait.
 */
export function retryEvent(work: Work, id: string): 'retried' | 'unknown' | 'full' {
  const turn = work.turn();
  const { outbox } = triggersOf(work.activation).sinks;
  const record = findRecord(turn, id);
  if (record === undefined) return hurry(work, id) ? 'retried' : submitAnew(work, id);
  if (outbox[record.kind].room(turn, 1, record.trigger) === 0) return 'full';
  dropRecord(turn, id);
  outbox[record.kind].stage(turn, [entryOf(record)], record.trigger);
  if (record.event === 'submitted') submissionWaits(turn, id);
  soon(work, record.kind);
  recordIt(work, 'retry', record);
  return 'retried';
}

/** A submission whose event is remembered no more, or that had none. */
function submitAnew(work: Work, id: string): 'retried' | 'unknown' | 'full' {
  const turn = work.turn();
  const { script } = triggersOf(work.activation).sinks.outbox;
  const entry = entryAnew(work, id);
  if (entry === null) return 'unknown';
  if (script.room(turn, 1, entry.trigger) === 0) return 'full';
  script.stage(turn, [entry], entry.trigger);
  submissionWaits(turn, id);
  soon(work, 'script');
  recordIt(work, 'retry', entry);
  return 'retried';
}

/** Has an event that waits looked at; false where there is none. */
function hurry(work: Work, id: string): boolean {
  const { outbox } = triggersOf(work.activation).sinks;
  for (const kind of KINDS) {
    const entry = outbox[kind].find(work.turn(), id);
    if (entry === undefined) continue;
    if (kind === 'script') outbox[kind].amend(work.turn(), { ...entry, next_ms: 0 });
    soon(work, kind);
    recordIt(work, 'retry', entry);
    return true;
  }
  return false;
}

/** Ends an event that waits, which stays in the log as dropped, or forgets one that has ended; false where there is neither. */
export function dropEvent(work: Work, id: string): boolean {
  const turn = work.turn();
  const { outbox } = triggersOf(work.activation).sinks;
  const about = findRecord(turn, id) ?? KINDS.map((kind) => outbox[kind].find(turn, id)).find(Boolean);
  if (about === undefined) return false;
  if (!dropRecord(turn, id)) outbox[about.kind].drop(work, id);
  recordIt(work, 'drop', about);
  return true;
}

function soon(work: Work, kind: TriggerKind): void {
  const { sinks } = triggersOf(work.activation);
  work.onEnd((newest) => {
    if (newest === null) return;
    if (kind === 'script') sinks.scriptsSoon();
    else sinks.outbox[kind].notify(work.activation, newest);
  });
}

function recordIt(work: Work, verb: 'retry' | 'drop', { id, trigger }: { id: string; trigger: string }): void {
  work.record(() => work.event({ outcome: 'ok', action: `data.trigger.${verb}`, target: id, data: { trigger } }));
}

/** An event as it was before it ended. */
function entryOf(record: TriggerRecord): TriggerEntry {
  const { outcome: _outcome, attempts: _attempts, status: _status, error: _error, ended_at: _ended, ...entry } = record;
  return entry;
}

/** Asks of operators (`skep data trigger …`). */
export const triggerAsks = {
  'trigger.list': (work: Work) => listTriggers(work),
  'trigger.events': (work: Work, { outcome = null, limit }: { outcome?: EventOutcome | null; limit?: number }) =>
    listEvents(work, outcome, Math.min(limit ?? limits.triggers.pageRows, limits.triggers.pageRowsMax)),
  'trigger.retry': (work: Work, { id }: { id: string }) => {
    const done = retryEvent(work, id);
    if (done === 'unknown') throw new Error(`no event ${id} waits or failed`);
    if (done === 'full') throw new Error(`too many events of the trigger of ${id} wait: retry it when some have left`);
    return { id, retried: true };
  },
  'trigger.drop': (work: Work, { id }: { id: string }) => {
    if (!dropEvent(work, id)) throw new Error(`no event ${id} waits or failed`);
    return { id, dropped: true };
  },
};
