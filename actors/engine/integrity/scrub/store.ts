/**
 * The checks of `../store.ts` in steps, for a tenant that is being served. Each step looks at the newest state and holds nothing open;
 * between two steps callers read and write. A turn joins whole or not at all, so a mismatch within one step is a fault. Only the count of
 * an entity spans steps: where it seems wrong, the rows of one frozen view are counted again.
 */
import { limits } from '#config/limits.ts';
import { DYNAMIC_TABLE_FIRST } from '#storage/catalogue.ts';
import type { Bytes, Entry, Lookup } from '#storage/port.ts';
import type { Looked } from '#storage/scrub.ts';
import { tableRange, type KeyRange } from '../../rows/keys/store.ts';
import { USES } from '../../files/store.ts';
import { documentsRange } from '../../search/store.ts';
import { loadSchema, schemaBytes } from '../../schema/store.ts';
import type { StoredSchema } from '../../schema/stored.ts';
import { checkUse, readerOf, strayFault, strayTable, TableCheck, type IntegrityFault, type Tally } from '../store.ts';

export interface ScrubPorts {
  /** The tenant's store as it is at each call. */
  readonly now: Lookup;
  /** The store as it is at one moment; closed after `countMsMax` at the latest, and reads then throw. */
  frozen(): Lookup & { close(): void };
  /** Whether the step has lasted long enough. A step takes at least one entry. */
  isOver(): boolean;
  /** Milliseconds from an arbitrary start. */
  fine(): number;
}

/** `hurry`: the next step should follow soon, since a frozen view is held. */
export interface EntityLook extends Looked<IntegrityFault> {
  readonly hurry?: true;
}

type Steps<T = void> = Generator<EntityLook, T>;

/** Checks everything. Gives false when the schema changed meanwhile: the check stops, and faults found before are still valid. */
export function* scrubEntities(ports: ScrubPorts): Steps<boolean> {
  const before = schemaBytes(ports.now);
  for (const step of allSteps(ports)) {
    yield step;
    if (!isSame(before, schemaBytes(ports.now))) return false;
  }
  return true;
}

function* allSteps(ports: ScrubPorts): Steps {
  const reader = readerOf(ports.now);
  const schema = loadSchema(reader);
  const tables = schema.entities.map((entity) => new TableCheck(reader, entity));
  for (const table of tables) {
    yield* rows(ports, table);
    for (const index of table.indexes) {
      if (index.building) continue;
      yield* entrySteps(ports, ports.now, tableRange(index.no), (entry) => table.checkEntry(index, entry));
    }
    for (const text of table.texts)
      yield* entrySteps(ports, ports.now, documentsRange(text), (entry) => table.checkDocument(text, entry));
  }
  yield* strays(ports, schema);
  const byNo = new Map(tables.map((table) => [table.entity.table, table]));
  yield* entrySteps(ports, ports.now, USES, ({ key }) => checkUse(key, byNo));
}

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** Walks a range up to its present end: with entries that are written behind it meanwhile, the walk might never end. */
export function* entrySteps(
  { isOver }: Pick<ScrubPorts, 'isOver'>,
  lookup: Lookup,
  range: KeyRange,
  check: (entry: Entry) => Iterable<IntegrityFault>,
): Steps {
  const to = endOf(lookup, range);
  for (let at: Bytes | null = range.from; at !== null;) {
    const faults: IntegrityFault[] = [];
    let next: Bytes | null = null;
    let entries = 0;
    let bytes = 0;
    for (const entry of lookup.range(at, to)) {
      entries++;
      bytes += entry.key.length + entry.value.length;
      faults.push(...check(entry));
      if (!isOver()) continue;
      next = `${entry.key}\0`;
      break;
    }
    yield { entries, bytes, faults };
    // Keys that are out of order would lead back. The check of the shard reports them.
    at = next !== null && next > at ? next : null;
  }
}

/** The key right behind the last one of a range; the start of an empty range. */
function endOf(lookup: Lookup, { from, to }: KeyRange): Bytes {
  for (const { key } of lookup.range(from, to, true)) return `${key}\0`;
  return from;
}

/** Checks rows with all that belongs to them, and their count. Where it differs, perhaps by writes between two steps, one frozen view is counted. */
function* rows(ports: ScrubPorts, table: TableCheck): Steps {
  const tally = { live: 0, deleted: 0, unread: 0, bytes: 0 };
  yield* entrySteps(ports, ports.now, tableRange(table.entity.table), (entry) => table.checkRow(entry, tally));
  if ([...table.checkCount(tally)].length > 0) yield* countAtOnce(ports, table);
}

function* countAtOnce(ports: ScrubPorts, { entity }: TableCheck): Steps {
  const view = ports.frozen();
  try {
    const until = ports.fine() + limits.scrub.countMsMax / 2;
    const table = new TableCheck(readerOf(view), entity);
    const tally: Tally = { live: 0, deleted: 0, unread: 0, bytes: 0 };
    const counted = entrySteps(ports, view, tableRange(entity.table), (entry) => table.countRow(entry, tally));
    for (const step of counted) {
      if (ports.fine() > until) return; // too many rows for one view: the count is left to the offline check
      yield { ...step, hurry: true };
    }
    yield { entries: 0, bytes: 0, faults: [...table.checkCount(tally)] };
  } finally {
    view.close();
  }
}

/** One fault for each table that the schema does not know. */
function* strays({ now }: ScrubPorts, schema: StoredSchema): Steps {
  for (let table = strayTable(now, schema, DYNAMIC_TABLE_FIRST); table !== null;) {
    const { from, to } = tableRange(table);
    const faults: IntegrityFault[] = [];
    for (const entry of now.range(from, to)) {
      faults.push(strayFault(table, entry));
      break;
    }
    yield { entries: 1, bytes: 0, faults };
    table = strayTable(now, schema, table + 1);
  }
}
