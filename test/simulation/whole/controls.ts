/** Faults of other simulations that the whole node must notice as well: at least one of each room, of the supervisor and of the watchdog. */
export const WHOLE_NOTICES: readonly string[] = [
  'segment-without-its-name',
  'repeated-event',
  'submission-settled-early',
  'webhook-ahead-of-disk',
  'answer-not-kept',
  'one-request-more',
  'courier-gives-up-late',
  'unsynced-submissions',
  'version-comes-again',
  'cas-unchecked',
  'door-answers-before-durable',
  'door-forgets-who-left',
  'door-counts-twice',
  'door-leaves-the-lost',
  'host-stands-forever',
  'failed-sync-acknowledged',
];
