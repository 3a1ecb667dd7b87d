/** Which versions of records a directory may hold, by kind: a table's number in the catalogue, or `row` for the rows of entities. */
import { ROW_VERSION, TABLES } from './catalogue.ts';

/** Kinds that are absent have version 1. */
export type RecordVersions = Readonly<Record<string, number>>;

export interface RecordChange {
  /** The table's name in the catalogue, `rows of entities`, or the number of a table that this Skep does not know. */
  readonly table: string;
  readonly from: number;
  readonly to: number;
}

const ROWS = 'row';
const NAMES = new Map<string, string>([
  [ROWS, 'rows of entities'],
  ...Object.entries(TABLES).map(([name, { no }]) => [String(no), name] as const),
]);

/** The versions above 1 of what this Skep writes. */
export function raisedVersions(
  tables: Readonly<Record<string, { no: number; version: number }>> = TABLES,
): RecordVersions {
  const all = [[ROWS, ROW_VERSION], ...Object.values(tables).map(({ no, version }) => [String(no), version])] as const;
  return Object.fromEntries(all.filter(([, version]) => Number(version) > 1)) as RecordVersions;
}

/** The higher version of each kind. */
export function newestOf(one: RecordVersions, other: RecordVersions): RecordVersions {
  const kinds = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...kinds].map((kind) => [kind, Math.max(one[kind] ?? 1, other[kind] ?? 1)]));
}

/** The kinds of records whose version in a directory (`held`) differs from that which `written` has. */
export function recordChanges(held: RecordVersions, written: RecordVersions = raisedVersions()): RecordChange[] {
  return Object.keys(newestOf(held, written))
    .map((kind) => ({ table: NAMES.get(kind) ?? `table ${kind}`, from: held[kind] ?? 1, to: written[kind] ?? 1 }))
    .filter(({ from, to }) => from !== to);
}
