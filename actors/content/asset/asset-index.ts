/**
 * Where a store keeps the metadata of its assets. `database-index.ts` has rows of the data service, `fs-index.ts` files beside the bytes
 * (docs/contract/content.md §3.1: `index`); both pass test/scenario/content-index.cases.ts.
 */
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import type { Row } from '../rows.ts';

/** Filters of a list of assets; an absent one filters nothing. */
export interface Wanted {
  readonly name?: string;
  readonly content_type?: string;
  readonly locale?: string;
  /** Null: assets in no folder. */
  readonly folder_id?: string | null;
  /** Only assets with greater ids. */
  readonly after?: string;
}

/** Refusals are thrown (refused.ts). Every change is durable when it is answered. */
export interface AssetIndex {
  /** Null when the store has no asset with this id. */
  get(call: Call, id: string): Promise<Row | null>;
  /** At most `limit` assets, in the order of their ids. */
  list(call: Call, wanted: Wanted, limit: number): Promise<Row[]>;
  /** A new asset, with its first version when the store keeps versions. 422 for values that fail their checks, 507 without room. */
  create(call: Call, asset: Row): Promise<Row>;
  /** 412 when `If-Match` names another version, 422 for values that fail their checks. */
  update(call: Call, id: string, fields: Row): Promise<Row>;
  /** As update, with the fields of a new file, which becomes the asset's next version when the store keeps versions. */
  replace(call: Call, before: Row, fields: Row): Promise<Row>;
  /** The asset as it was. 412 as in update. */
  remove(call: Call, id: string): Promise<Row>;
  /** Every version that is kept, in no particular order. */
  versions(call: Call, asset: Row): Promise<Row[]>;
  version(call: Call, asset: Row, number: number): Promise<Row | null>;
  holdsFolder(call: Call, folder: string): Promise<boolean>;
  /** Whether an asset or a version of one needs the bytes. */
  uses(activation: Activation, sha256: string): Promise<boolean>;
}
