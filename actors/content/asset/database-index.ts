/** The metadata of assets as rows of the tenant, in the data service. */
import { isDeepStrictEqual } from 'node:util';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { Work } from '#actors/host/work.ts';
import { Rows, type Operation, type Query, type Row } from '../rows.ts';
import type { AssetIndex, Wanted } from './asset-index.ts';
import { versionFields } from './fields.ts';

/** The store's name, its entities, and whether it keeps versions. */
export interface RowPlace {
  readonly store: string;
  readonly asset: string;
  readonly version: string;
  readonly keepsVersions: boolean;
}

const rowsOf = (call: Call): Rows => new Rows(call, 'internal');

export class DatabaseIndex implements AssetIndex {
  readonly #place: RowPlace;

  constructor(place: RowPlace) {
    this.#place = place;
  }

  async get(call: Call, id: string): Promise<Row | null> {
    const row = await rowsOf(call).get(this.#place.asset, id);
    return row?.['store'] === this.#place.store ? row : null;
  }

  async list(call: Call, wanted: Wanted, limit: number): Promise<Row[]> {
    const { store, asset } = this.#place;
    const query = { store, orderby: 'id', limit: String(limit), ...queryOf(wanted) };
    return (await rowsOf(call).list(asset, query)).rows;
  }

  async create(call: Call, asset: Row): Promise<Row> {
    const operations: Operation[] = [{ action: 'create', data: { [this.#place.asset]: asset } }];
    const [row] = await rowsOf(call).run([...operations, ...this.#kept(asset, 1)]);
    return row!;
  }

  update(call: Call, id: string, fields: Row): Promise<Row> {
    return rowsOf(call).update(this.#place.asset, id, fields, call.header('if-match'));
  }

  /** The commit checks the version before again, so that a number is given once. A change of nothing makes no version. */
  async replace(call: Call, before: Row, fields: Row): Promise<Row> {
    if (Object.entries(fields).every(([name, value]) => isDeepStrictEqual(value, before[name]))) return before;
    const row = { ...fields, id: before['id'] };
    const operations: Operation[] = [{ action: 'update', data: { [this.#place.asset]: row } }];
    const kept = this.#kept(row, (before['version'] as number) + 1);
    return (await rowsOf(call).run([...operations, ...kept]))[0]!;
  }

  remove(call: Call, id: string): Promise<Row> {
    return rowsOf(call).remove(this.#place.asset, id, call.header('if-match'));
  }

  async versions(call: Call, asset: Row): Promise<Row[]> {
    const versions: Row[] = [];
    for await (const row of rowsOf(call).all(this.#place.version, { asset_id: asset['id'] as string }))
      versions.push(row);
    return versions;
  }

  version(call: Call, asset: Row, number: number): Promise<Row | null> {
    return rowsOf(call).find(this.#place.version, { asset_id: asset['id'] as string, number: String(number) });
  }

  async holdsFolder(call: Call, folder: string): Promise<boolean> {
    return (await rowsOf(call).find(this.#place.asset, { folder_id: folder })) !== null;
  }

  async uses(activation: Activation, sha256: string): Promise<boolean> {
    const { asset, version } = this.#place;
    const rows = new Rows(new Work(activation), 'internal');
    return (await rows.find(asset, { sha256 })) !== null || (await rows.find(version, { sha256 })) !== null;
  }

  #kept(asset: Row, number: number): Operation[] {
    const { keepsVersions, version } = this.#place;
    return keepsVersions ? [{ action: 'create', data: { [version]: versionFields(asset, number) } }] : [];
  }
}

function queryOf({ folder_id: folder, after, ...equal }: Wanted): Query {
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(equal)) query[`${name}[eq]`] = value;
  if (folder === null) query['folder_id[null]'] = 'true';
  else if (folder !== undefined) query['folder_id'] = folder;
  if (after !== undefined) query['id[gt]'] = after;
  return query;
}
