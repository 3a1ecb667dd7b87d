/** Features that a store with `index: fs` cannot have, since its index is files without a database. */
import { problemAt, type Path, type Problem } from '../../problem.ts';
import type { Tree } from '../../tree.ts';
import type { EntityDefinition, FieldDefinition } from '../product.ts';
import { placeIn } from './rule-map.ts';
import { ASSET_ENTITY, type ContentStoreDefinition } from './shapes.ts';

/** A content store of a tenant that the platform file puts into a bucket. */
export interface Bucket {
  readonly tenant: string;
  /** The directory of the tenant's product; null where it is fetched from a URL. */
  readonly checkout: string | null;
  readonly store: string;
}

export interface FsSurroundings {
  readonly buckets: readonly Bucket[];
  readonly entities: readonly EntityDefinition[];
  /** The file that declares the stores, and the path in it. */
  readonly tree: Tree | null;
  readonly at: Path;
}

/** Bytes in a bucket, and fields whose constraints only a database can enforce. */
export function fsProblems(stores: readonly ContentStoreDefinition[], around: FsSurroundings): Problem[] {
  const { buckets, entities, tree, at } = around;
  return stores.flatMap(({ index, name, assetentityname = ASSET_ENTITY }, no) => {
    if (index !== 'fs') return [];
    const path = [...at, no, 'index'];
    const say = (message: string, mend: string): Problem => problemAt(placeIn(tree, path), path, message, mend);
    const tenants = buckets.flatMap(({ store, tenant }) => (store === name ? [tenant] : []));
    const inBuckets = tenants.map((tenant) =>
      say(
        `the content store "${name}" of ${tenant} lies in a bucket, which keeps no index of files`,
        'write `index: database`, or give the store a contentroot of type os',
      ),
    );
    const asset = entities.find((entity) => entity.name === assetentityname);
    const kept = (asset === undefined ? [] : unkept(asset)).map((what) =>
      say(`${assetentityname} has ${what}, which an index of files does not keep`, 'write `index: database`'),
    );
    return [...inBuckets, ...kept];
  });
}

/** What the extensions of an entity require; its own reference to a folder is handled by the store. */
function unkept({ fields, unique, row_rule: rule }: EntityDefinition): string[] {
  const faulty = Object.entries(fields).flatMap(([name, field]) => {
    const why = name === 'folder_id' ? null : whyNot(field);
    return why === null ? [] : [`the field ${name} with ${why}`];
  });
  const keys = unique.map((names) => `the unique key ${names.join(', ')}`);
  return [...faulty, ...keys, ...(rule === undefined ? [] : ['a row rule'])];
}

function whyNot({ type, unique, materialize, mask, default_from: from }: FieldDefinition): string | null {
  if (type === 'ref' || type === 'file') return `the type ${type}`;
  if (unique === true) return 'unique: true';
  if (materialize !== undefined) return 'materialize';
  if (from !== undefined) return 'default_from';
  return mask === undefined ? null : 'a mask';
}
