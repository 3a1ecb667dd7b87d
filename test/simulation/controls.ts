/** Faults that the simulation must notice: bugs in the code, and disks that ignore some syncs, as if the code had forgotten them. */
import { PLANTS } from '#test/planted/plants.ts';
import { DOOR_CONTROLS } from '#test/simulation/door/controls.ts';
import { CARRIER_CONTROLS } from '#test/simulation/cluster/carrier-controls.ts';
import { CLUSTER_CONTROLS } from '#test/simulation/cluster/controls.ts';
import { RATES_CONTROLS } from '#test/simulation/rates/controls.ts';
import { VAULT_CONTROLS } from '#test/simulation/vault/controls.ts';
import type { Control } from './control.ts';

/** Faults that two falls at chosen places show (restart-run.ts), which seeds meet too seldom. */
export const RESTART_CONTROLS: Readonly<Record<string, Control>> = {
  'unsynced-replay': {
    what: 'What a killed process has left in the journal is put into LMDB before it is durable.',
    plant: { file: 'storage/replay.ts', find: '    await makeDurable(journal);\n', put: '' },
  },
  'directory-taken-as-durable': {
    what: 'A directory that is there is taken for durable.',
    plant: {
      file: 'storage/directory.ts',
      find: '    syncDirectory(dirname(path));',
      put: '',
    },
  },
  'vault-file-read-early': {
    what: 'A vault’s file that a killed process has renamed is read before its name is durable.',
    plant: {
      file: 'storage/vault/file.ts',
      find: '  if (existsSync(file)) syncDirectory(dirname(file));\n',
      put: '',
    },
  },
};

const ofPlant = (name: string): Control => ({ what: PLANTS[name]!.what, plant: PLANTS[name]! });

export const CONTROLS: Readonly<Record<string, Control>> = {
  'early-acknowledgement': ofPlant('early-acknowledgement'),
  'later-batch-acknowledged': ofPlant('later-batch-acknowledged'),
  'torn-record-replayed': ofPlant('unchecked-record'),
  'read-ahead-of-disk': ofPlant('read-ahead-of-disk'),
  'segment-without-its-name': {
    what: 'A segment takes records before its directory is synced.',
    plant: {
      file: 'storage/journal/segments.ts',
      find: '    await this.#syncNames();\n    return segment;',
      put: '    return segment;',
    },
  },
  'events-ahead-of-disk': {
    what: 'Events leave for the audit log before the commit that they report is on the disk.',
    plant: {
      file: 'actors/host/outbox/event-outbox.ts',
      find: '    await new Promise<void>((resolve) => this.#store.whenDurable(this.#newest, resolve));\n',
      put: '',
    },
  },
  'event-settled-unasked': {
    what: 'An outbox forgets events that it has handed out, although the log has not answered.',
    plant: {
      file: 'actors/host/outbox/event-outbox.ts',
      find: '    return { records, upTo, more };',
      put: '    this.settle(upTo);\n    return { records, upTo, more };',
    },
  },
  'repeated-event': {
    what: 'The audit log takes an event again that was handed over twice.',
    plant: {
      file: 'actors/audit/audit-log.ts',
      find: 'if (source_seq <= (last.get(source) ?? this.lastOf(source))) return false;',
      put: 'if (source_seq <= (last.get(source) ?? 0)) return false;',
    },
  },
  'journal-retired-early': {
    what: 'A segment is let go of before LMDB has what is in it.',
    plant: {
      file: 'storage/journal/segments.ts',
      find: 'return this.#full.length > 0 && this.#full[0]!.last <= floor;',
      put: 'return this.#full.length > 0 && floor > 0;',
    },
  },
  'submission-acknowledged-early': {
    what: 'A submission is acknowledged before its batch is in the database.',
    rooms: ['intake'],
    plant: {
      file: 'actors/intake/writer.ts',
      find: '      if (!this.#failed) await this.#options.database.commit(records, place);',
      put: "      settle(batch, 'durable');\n      if (!this.#failed) await this.#options.database.commit(records, place);",
    },
  },
  'submission-settled-early': {
    what: 'Intake forgets that a submission waits for its tenant when it hands it out.',
    rooms: ['intake', 'tenants'],
    plant: {
      file: 'actors/intake/delivery/outbox.ts',
      find: 'const more = hasOthers(waiting.forms, seen);',
      put: 'this.settle({ tenant, ids: submissions.map((one) => one.id) }); const more = hasOthers(waiting.forms, seen);',
    },
  },
  'submission-taken-twice': {
    what: 'A tenant takes a submission again that it has.',
    rooms: ['intake', 'tenants'],
    plant: {
      file: 'actors/data/submission/take.ts',
      find: 'findSubmission(turn, id) === undefined && ',
      put: '',
    },
  },
  'submission-key-forgotten': {
    what: 'A key of a submission binds no more once its answer has left.',
    rooms: ['intake'],
    plant: {
      file: 'actors/intake/submit.ts',
      find: 'if (first !== undefined && isBinding(first, this.#parts.clock.now()))',
      put: 'if (first !== undefined && first.id === this.#parts.ids.next())',
    },
  },
  'unsynced-submissions': {
    what: 'Syncs of the log of submissions do nothing.',
    rooms: ['intake'],
    ignores: /intake\/log\/.*\.jsonl$/,
  },
  'webhook-ahead-of-disk': {
    what: 'A webhook leaves before the commit that it tells of is on the disk.',
    rooms: ['tenants'],
    plant: {
      file: 'actors/host/host.ts',
      find: '    if (work.seen > 0) await new Promise<void>((resolve) => activation.store.whenDurable(work.seen, resolve));\n',
      put: '',
    },
  },
  'outbox-empties-early': { ...ofPlant('outbox-empties-early'), rooms: ['tenants'] },
  'courier-gives-up-late': {
    what: 'A courier tries a webhook once more than is declared.',
    rooms: ['tenants'],
    plant: {
      file: 'actors/courier/courier.ts',
      find: 'attempts >= this.#rules.attemptsMax',
      put: 'attempts > this.#rules.attemptsMax',
    },
  },
  'answer-of-another-request': { ...ofPlant('answer-of-another-request'), rooms: ['tenants'] },
  'answer-not-kept': {
    what: 'The answer under a key is not kept beside what it answers for.',
    rooms: ['tenants'],
    plant: {
      file: 'actors/host/idempotency/replay.ts',
      find: '  putAnswer(turn, id, { request, status, type, headers, text, expiresAtMs });\n  return outcome;',
      put: '  return outcome;',
    },
  },
  'failed-sync-acknowledged': {
    what: 'A sync of the journal that has failed is taken for a good one.',
    plant: {
      file: 'storage/journal/journal.ts',
      find: '    if (error !== null) return this.#fail(error);\n    if (this.#halted) return;\n    const tookMs',
      put: '    if (this.#halted) return;\n    const tookMs',
    },
  },
  'unsynced-journal': { what: 'Syncs of the journal do nothing.', ignores: /\/journal\/[^/]+\/.*(segment|spare)$/ },
  'unsynced-epoch': { what: 'The epoch is given before it is on the disk.', ignores: /^data\/epoch/ },
  'unsynced-log': { what: 'Syncs of the audit log do nothing.', ignores: /audit\/.*segments\/[^/]*\.log$/ },
  'unsynced-names': { what: 'Syncs of the directory of the audit log do nothing.', ignores: /audit\/.*\/segments$/ },
  ...RATES_CONTROLS,
  ...VAULT_CONTROLS,
  ...DOOR_CONTROLS,
  ...CLUSTER_CONTROLS,
  ...CARRIER_CONTROLS,
};
