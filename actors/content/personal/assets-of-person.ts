/** A page of the assets that a person has uploaded and whose metadata lies in files. Those in the database are rows of data. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { assetBytesPath, type NamedPerson, type PersonRows, type RowPlace } from '#actors/protocol/person.ts';
import { namingStores } from './find.ts';

const { pageRows, pageCharsMax } = limits.privacy;

export async function assetsOfPerson(
  work: Work,
  { user, after }: NamedPerson & { readonly after: RowPlace | null },
): Promise<PersonRows> {
  const rows: PersonRows['rows'][number][] = [];
  let chars = 0;
  for (const { store, files } of namingStores(work.activation)) {
    if (after !== null && store.name < after.entity) continue;
    let last = after?.entity === store.name ? (after.id ?? '') : '';
    for (let more = true; more;) {
      const found = await files.uploadedBy(user, last, pageRows);
      for (const asset of found) {
        const next: RowPlace = { service: 'content', entity: store.name, skip: 0, id: last };
        if (rows.length === pageRows || chars > pageCharsMax) return { rows, next };
        const row = JSON.stringify(asset);
        chars += row.length;
        last = asset['id'] as string;
        rows.push({ kind: 'asset', entity: store.asset, row, bytes: assetBytesPath(store.name, last) });
      }
      more = found.length === pageRows;
    }
  }
  return { rows, next: null };
}
