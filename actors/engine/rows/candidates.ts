/** The rows of a plan, one after another; each source gives them in its own order. */
import type { Slots, StoredRow } from './codec.ts';
import { TextCandidates } from '../search/candidates.ts';
import { conjunctionOf, sorterOf, type Admits } from './filter.ts';
import type { Bytes, KeyRange } from './keys/store.ts';
import type { EntityModel } from './model.ts';
import type { Plan, UnionBranch } from './access-path.ts';
import { WideCandidates } from './path/columns.ts';
import { PatientCandidates } from './path/patient.ts';
import { mayPause } from './path/rows-test.ts';
import type { Query } from './query.ts';
import { entryId, findRow, rowOf, type Entry, type Reader } from './store.ts';

export interface Candidates {
  /** The next row; null after a look at something that gave no row; undefined at the end. */
  next(): StoredRow | null | undefined;
  end(): void;
}

/** The rows of a plan. `admits` says which rows are wanted, `seesAll` whether the caller may see all of the entity. Only a merge uses it; the other sources also give rows that are not wanted. */
export function candidatesOf(
  reader: Reader,
  model: EntityModel,
  query: Query,
  plan: Plan,
  admits: Admits,
  seesAll = false,
): Candidates {
  const rows = matching(reader, model, query, plan, admits, seesAll);
  return query.far.length === 0 ? rows : new WideCandidates(rows, admits, model, query.far);
}

function matching(
  reader: Reader,
  model: EntityModel,
  query: Query,
  plan: Plan,
  admits: Admits,
  seesAll: boolean,
): Candidates {
  const rows = sourceOf(reader, model, query, plan, admits, seesAll);
  return plan.kind !== 'union' && mayPause(query) ? new PatientCandidates(rows, admits) : rows;
}

function sourceOf(
  reader: Reader,
  model: EntityModel,
  query: Query,
  plan: Plan,
  admits: Admits,
  seesAll: boolean,
): Candidates {
  if (plan.kind === 'text') return new TextCandidates(reader, model, plan, seesAll);
  if (plan.kind === 'point') return new PointCandidates(reader, model, plan.reverse ? plan.ids.toReversed() : plan.ids);
  if (plan.kind === 'union') {
    const sources = branchesOf(reader, model, query, plan.branches, admits);
    return plan.ordered ? new MergedCandidates(sources, sorterOf(model, query), admits) : new JoinedCandidates(sources);
  }
  if (plan.kind === 'given') return plan.begin();
  if (plan.kind === 'intersection') return new CommonCandidates(reader, model, plan.ranges);
  const isTable = plan.kind === 'table';
  const toRow = isTable
    ? (entry: Entry) => rowOf(model, entry)
    : (entry: Entry) => findRow(reader, model, entryId(entry));
  const ranges = isTable ? [plan.range] : plan.ranges;
  const each = ranges.map((range) => new RangeCandidates(reader, range, plan.reverse, toRow));
  if (each.length === 1) return each[0]!;
  // A merge asks of each row itself whether it is wanted.
  const isMerged = !isTable && plan.merged;
  const sources = isMerged && mayPause(query) ? each.map((one) => new PatientCandidates(one, admits)) : each;
  if (isMerged) return new MergedCandidates(sources, sorterOf(model, query), admits);
  return new JoinedCandidates(plan.reverse ? sources.toReversed() : sources);
}

/** Each branch gives the rows that meet its own conditions, and no earlier branch's: so no row comes twice. */
function branchesOf(
  reader: Reader,
  model: EntityModel,
  query: Query,
  branches: readonly UnionBranch[],
  admits: Admits,
): Candidates[] {
  const own = branches.map(({ conditions }) => conjunctionOf(model, conditions));
  return branches.map(({ plan }, at) => {
    const isGiven = (slots: Slots): boolean => own.findIndex((meets) => meets(slots)) === at;
    const source = matching(reader, model, query, plan, (slots) => isGiven(slots) && admits(slots), false);
    return new BranchCandidates(source, isGiven);
  });
}

class BranchCandidates implements Candidates {
  readonly #source: Candidates;
  readonly #gives: Admits;

  constructor(source: Candidates, gives: Admits) {
    this.#source = source;
    this.#gives = gives;
  }

  next(): StoredRow | null | undefined {
    const row = this.#source.next();
    return row === undefined || row === null || this.#gives(row.slots) ? row : null;
  }

  end(): void {
    this.#source.end();
  }
}

class PointCandidates implements Candidates {
  readonly #reader: Reader;
  readonly #model: EntityModel;
  readonly #ids: readonly Bytes[];
  #at = 0;

  constructor(reader: Reader, model: EntityModel, ids: readonly Bytes[]) {
    this.#reader = reader;
    this.#model = model;
    this.#ids = ids;
  }

  next(): StoredRow | null | undefined {
    if (this.#at === this.#ids.length) return undefined;
    return findRow(this.#reader, this.#model, this.#ids[this.#at++]!) ?? null;
  }

  end(): void {
    this.#at = this.#ids.length;
  }
}

/** Rows by the entries of a range; an entry without a row gives none. */
class RangeCandidates implements Candidates {
  readonly #reader: Reader;
  readonly #range: KeyRange;
  readonly #reverse: boolean;
  readonly #rowOf: (entry: Entry) => StoredRow | undefined;
  #entries: IterableIterator<Entry> | null = null;

  constructor(reader: Reader, range: KeyRange, reverse: boolean, rowOf: (entry: Entry) => StoredRow | undefined) {
    this.#reader = reader;
    this.#range = range;
    this.#reverse = reverse;
    this.#rowOf = rowOf;
  }

  next(): StoredRow | null | undefined {
    this.#entries ??= this.#reader.range(this.#range.from, this.#range.to, this.#reverse);
    const step = this.#entries.next();
    return step.done === true ? undefined : (this.#rowOf(step.value) ?? null);
  }

  end(): void {
    this.#entries?.return?.();
  }
}

/** One source after the other. */
class JoinedCandidates implements Candidates {
  readonly #sources: readonly Candidates[];
  #at = 0;

  constructor(sources: readonly Candidates[]) {
    this.#sources = sources;
  }

  next(): StoredRow | null | undefined {
    while (this.#at < this.#sources.length) {
      const row = this.#sources[this.#at]!.next();
      if (row !== undefined) return row;
      this.#sources[this.#at++]!.end();
    }
    return undefined;
  }

  end(): void {
    for (const source of this.#sources) source.end();
  }
}

interface Head {
  readonly source: Candidates;
  row: StoredRow | null;
}

/**
 * Merges sources into the wanted order. In each source only the admitted rows are in that order: any other row may hold anything in
 * the fields of the order. So rows that are not admitted are never compared: one of them could hold back the rows behind it.
 */
class MergedCandidates implements Candidates {
  readonly #compare: (a: Slots, b: Slots) => number;
  readonly #admits: Admits;
  readonly #heads: Head[];

  constructor(sources: readonly Candidates[], compare: (a: Slots, b: Slots) => number, admits: Admits) {
    this.#compare = compare;
    this.#admits = admits;
    this.#heads = sources.map((source) => ({ source, row: null }));
  }

  /** Reads one candidate of one source at a time, so that a caller can stop in between. */
  next(): StoredRow | null | undefined {
    let first: Head | undefined;
    for (let i = this.#heads.length - 1; i >= 0; i--) {
      const head = this.#heads[i]!;
      if (head.row === null) {
        const row = head.source.next();
        if (row === undefined) {
          head.source.end();
          this.#heads.splice(i, 1);
          continue;
        }
        if (row === null || !this.#admits(row.slots)) return null;
        head.row = row;
      }
      if (first === undefined || this.#compare(head.row.slots, first.row!.slots) < 0) first = head;
    }
    if (first === undefined) return undefined;
    const { row } = first;
    first.row = null;
    return row;
  }

  end(): void {
    for (const { source } of this.#heads) source.end();
  }
}

/** How many entries are skipped one by one before a new search skips the rest. */
const STEPS_BEFORE_SEARCH = 8;

/** The ids of one range, in their order. */
class Ids {
  readonly #reader: Reader;
  readonly #range: KeyRange;
  #entries: IterableIterator<Entry>;
  /** The present id; undefined at the end. */
  id: Bytes | undefined;

  constructor(reader: Reader, range: KeyRange) {
    this.#reader = reader;
    this.#range = range;
    this.#entries = reader.range(range.from, range.to);
    this.step();
  }

  step(): void {
    const step = this.#entries.next();
    this.id = step.done === true ? undefined : entryId(step.value);
  }

  /** Goes to the first id that is not below the given one. */
  reach(id: Bytes): void {
    for (let i = 0; i < STEPS_BEFORE_SEARCH && this.id !== undefined && this.id < id; i++) this.step();
    if (this.id === undefined || this.id >= id) return;
    this.#entries.return?.();
    this.#entries = this.#reader.range(this.#range.from + id, this.#range.to);
    this.step();
  }

  end(): void {
    this.#entries.return?.();
  }
}

/** Rows whose ids lie in every range; each range holds the entries of one combination of values, and so comes in order of id. */
class CommonCandidates implements Candidates {
  readonly #reader: Reader;
  readonly #model: EntityModel;
  readonly #lists: readonly Ids[];

  constructor(reader: Reader, model: EntityModel, ranges: readonly KeyRange[]) {
    this.#reader = reader;
    this.#model = model;
    this.#lists = ranges.map((range) => new Ids(reader, range));
  }

  next(): StoredRow | null | undefined {
    const first = this.#lists[0]!;
    let highest = first.id;
    for (const list of this.#lists) {
      if (list.id === undefined || highest === undefined) return undefined;
      if (list.id > highest) highest = list.id;
    }
    if (this.#lists.every((list) => list.id === highest)) {
      first.step();
      return findRow(this.#reader, this.#model, highest!) ?? null;
    }
    for (const list of this.#lists) list.reach(highest!);
    return null;
  }

  end(): void {
    for (const list of this.#lists) list.end();
  }
}
