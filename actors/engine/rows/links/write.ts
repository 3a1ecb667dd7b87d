/**
 * Writes the links of a row, in the turn that writes the row. A caller changes only links to rows that it may see: it adds no others, and those
 * that are there stay, whatever it writes. No answer and no version tells whether there are any (more than `data.linkReplacedMax` show in a fault).
 */
import type { FieldFault } from '#actors/kit/field-check.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { admits, visibleTo, type Grant } from '../access.ts';
import { isDeleted, type Slots } from '../codec.ts';
import type { Failure } from '../failure.ts';
import { indexKey, indexRange, type Bytes } from '../keys/store.ts';
import type { EntityModel, Link } from '../model.ts';
import { newId } from '../new-id.ts';
import { SchemaMoved } from '../schema-moved.ts';
import type { RequestView, Session } from '../session.ts';
import { entryPage, findRow, getEntry, type Turn } from '../store.ts';
import { writeRow } from '../write.ts';
import type { AskedLink } from './asked.ts';

/** What is to be staged. */
export interface LinkChanges {
  readonly added: readonly { readonly link: Link; readonly key: unknown }[];
  readonly removed: readonly { readonly link: Link; readonly id: Bytes; readonly slots: Slots }[];
  /** Links of which an added id names no row that the caller sees: one answer, whether there is none, or a hidden one, or one in the bin. */
  readonly missing: ReadonlySet<Link>;
  /** Links of which the row has more than a list of ids may replace. */
  readonly tooMany: readonly Link[];
  /** Whether the row counts as changed. So it does for each write of a caller that does not read the link, which the version would tell of links. */
  readonly isChange: boolean;
}

/** Of a new row, which has no links yet. */
export function linksOfNew(
  session: Session,
  row: Slots,
  asked: readonly AskedLink[],
  request: RequestView,
): LinkChanges {
  const missing = new Set<Link>();
  for (const { link, add } of asked) {
    const sightOf = sightIn(session, link, request);
    for (const key of add) if (!isItself(link, row, key) && sightOf(key) !== 'shown') missing.add(link);
  }
  const added = asked.flatMap(({ link, add }) => [...add].map((key) => ({ link, key })));
  return { added, removed: [], missing, tooMany: [], isChange: true };
}

/** What the wish changes in the links that the row has. */
export function linkChanges(
  session: Session,
  model: EntityModel,
  row: Slots,
  asked: readonly AskedLink[],
  request: RequestView,
): LinkChanges {
  const tooMany: Link[] = [];
  const missing = new Set<Link>();
  const added: { link: Link; key: unknown }[] = [];
  const removed: { link: Link; id: Bytes; slots: Slots }[] = [];
  let isChange = false;
  for (const one of asked) {
    const { link } = one;
    const sightOf = sightIn(session, link, request);
    const isUnread = model.sight?.unread.has(link.declared) === true;
    for (const key of one.add) {
      const isNew = pairOf(session.turn(), link, row, key) === null;
      const sight = isItself(link, row, key) ? 'shown' : sightOf(key);
      // A link to a row in the bin is kept by callers who see it; to others the answer would tell of it.
      if (sight === 'hidden' || (sight === 'binned' && (isNew || isUnread))) missing.add(link);
      if (isNew) added.push({ link, key });
      isChange ||= isNew;
    }
    const gone = one.replaces ? replaced(session.turn(), one, row) : takenOut(session.turn(), one, row);
    if (gone === null) tooMany.push(link);
    const ended = (gone ?? []).filter(({ slots }) => sightOf(slots[link.over.column.at]) === 'shown');
    removed.push(...ended.map((pair) => ({ link, ...pair })));
    isChange ||= isUnread || missing.size > 0 || gone === null || ended.length > 0;
  }
  return { added, removed, missing, tooMany, isChange };
}

/** Whether an id names the row itself, which a write that may write it may always link. */
const isItself = ({ by, over: { to } }: Link, row: Slots, key: unknown): boolean =>
  to === by.to && key === row[to.key.at];

/** Links that a turn has added and removed so far. */
const changesIn = new WeakMap<Turn, number>();

/**
 * Adds a fault for each link that names rows which the caller does not see, for a row that has more links than a list of ids may replace, and for
 * more changes of links than a transaction takes. Call it once for each row.
 */
export function checkLinked(turn: Turn, changes: LinkChanges, faults: FieldFault[]): void {
  const { missing, tooMany } = changes;
  checkAmount(turn, [...changes.added, ...changes.removed], faults);
  for (const { name } of tooMany) {
    const most = limits.data.linkReplacedMax;
    const message = `has more than ${most} links: change them by {"add": [...], "remove": [...]}`;
    faults.push({ field: name, code: 'max', message });
  }
  for (const { name, over } of missing)
    faults.push({ field: name, code: 'reference', message: `refers to no row of ${over.to.name}` });
}

function checkAmount(turn: Turn, changed: readonly { readonly link: Link }[], faults: FieldFault[]): void {
  if (changed.length === 0) return;
  const most = limits.data.linkChangesMax;
  const count = (changesIn.get(turn) ?? 0) + changed.length;
  changesIn.set(turn, count);
  if (count <= most) return;
  const message = `is one of more than ${most} links that one transaction changes: send fewer rows at a time`;
  faults.push({ field: changed[0]!.link.name, code: 'max', message });
}

/** Stages the changes of the row's links. Call it once the row itself is staged. */
export function writeLinks(session: Session, row: Slots, { added, removed }: LinkChanges): Failure | null {
  const turn = session.turn();
  for (const { link, id, slots } of removed) {
    const failed = writeRow(turn, link.by.from, id, slots, null);
    if (failed !== null) return failed;
  }
  for (const { link, key } of added) {
    const pairs = link.by.from;
    const pair = pairSlots(link, row, key);
    pair[pairs.key.at] = newId(session, pairs);
    const failed = writeRow(turn, pairs, pairs.idIn(pair), null, pair);
    if (failed !== null) return failed;
  }
  return null;
}

interface Pair {
  readonly id: Bytes;
  readonly slots: Slots;
}

/** What the caller sees of a row on the other side: as a list of its entity shows it, in the bin, or not at all. */
type Sight = 'shown' | 'binned' | 'hidden';

function sightIn(session: Session, { over: { to } }: Link, request: RequestView): (key: unknown) => Sight {
  let grant: Grant | null = null;
  return (key) => {
    grant ??= visibleTo(session, to, { ...request, operation: 'read', entity: to.name, id: null });
    const slots = grant === 'none' ? undefined : rowUnder(session.turn(), to, key);
    if (slots === undefined || !admits(grant, slots)) return 'hidden';
    return isDeleted(slots) ? 'binned' : 'shown';
  };
}

function rowUnder(turn: Turn, to: EntityModel, key: unknown): Slots | undefined {
  if (to.retired) throw new SchemaMoved(to.name);
  burn(limits.data.includeLookUnits);
  return findRow(turn, to, to.idOf(key)!)?.slots;
}

/** The pairs of a row that a list of ids leaves out; null where the row has too many links. */
function replaced(turn: Turn, { link: { by, over }, add }: AskedLink, row: Slots): Pair[] | null {
  const most = limits.data.linkReplacedMax;
  const key = row[by.to.key.at];
  const page = by.index === null ? [] : entryPage(turn, indexRange(by.index, [key]), most + 1);
  if (page.length > most) return null;
  burn(page.length * limits.data.includeLookUnits);
  return page.flatMap(({ id }) => {
    const slots = findRow(turn, by.from, id)?.slots;
    // The range may also hold pairs of other rows.
    const isOut = slots !== undefined && slots[by.column.at] === key && !add.has(slots[over.column.at]);
    return isOut ? [{ id, slots }] : [];
  });
}

const takenOut = (turn: Turn, { link, remove }: AskedLink, row: Slots): Pair[] =>
  [...remove].flatMap((key) => pairOf(turn, link, row, key) ?? []);

/** The pair of the row and the one of the key; null where they are not linked. */
function pairOf(turn: Turn, link: Link, row: Slots, key: unknown): Pair | null {
  const pairs = link.by.from;
  burn(limits.data.includeLookUnits);
  const index = pairs.kept.find(({ unique }) => unique)!;
  const id = getEntry(turn, indexKey(index, pairSlots(link, row, key), ''));
  const slots = id === undefined ? undefined : findRow(turn, pairs, id)?.slots;
  return id === undefined || slots === undefined ? null : { id, slots };
}

function pairSlots({ by, over }: Link, row: Slots, key: unknown): Slots {
  const slots = by.from.pad([1, null, null, null, null]);
  slots[by.column.at] = row[by.to.key.at];
  slots[over.column.at] = key;
  return slots;
}
