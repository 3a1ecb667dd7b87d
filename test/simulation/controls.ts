/** Faults that the simulation must notice: bugs in the code, and disks that ignore some syncs, as if the code had forgotten them. */
import { PLANTS } from '#test/planted/plants.ts';
import type { Plant } from '#test/planted/plants.ts';
import type { ExtraRoom } from './node/settings.ts';

export interface Control {
  readonly what: string;
  /** A bug that is put into the text of its module. */
  readonly plant?: Omit<Plant, 'foundBy' | 'what'>;
  /** Syncs of files and directories whose path, below the disk's root, fits this do nothing. */
  readonly ignores?: RegExp;
  /** Rooms beside the host that the fault needs: a process loads no others. */
  readonly rooms?: readonly ExtraRoom[];
}

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
      find: '    await syncDirectoryAsync(this.#directory);\n    return segment;',
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
  'unsynced-journal': { what: 'Syncs of the journal do nothing.', ignores: /\/journal\/[^/]+\/.*(segment|spare)$/ },
  'unsynced-epoch': { what: 'The epoch is given before it is on the disk.', ignores: /^data\/epoch/ },
  'unsynced-log': { what: 'Syncs of the audit log do nothing.', ignores: /audit\/.*segments\/[^/]*\.log$/ },
  'unsynced-names': { what: 'Syncs of the directory of the audit log do nothing.', ignores: /audit\/.*\/segments$/ },
};
