/** The outboxes of triggers as their callers see them. */
import type { Outbox } from '#actors/host/outbox/outbox.ts';
import type { TriggerEntry } from './store.ts';

/** What all three kinds have in common: their entries are staged, listed, dropped and repeated alike. */
export type EventOutbox = Pick<
  Outbox<TriggerEntry, unknown, never>,
  'stage' | 'notify' | 'entries' | 'find' | 'room' | 'amend' | 'drop'
>;
