/** A page of a person's rows, unmasked: they are the person's own. */
import { limits } from '#config/limits.ts';
import { contentKind } from '#config/definitions/content/kinds.ts';
import type { Work } from '#actors/host/work.ts';
import { jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import { assetBytesPath, type PersonRows, type NamedPerson, type RowPlace } from '#actors/protocol/person.ts';
import { batchesOf, namingEntities, sessionFor, type Naming } from './find.ts';

const { pageRows, pageCharsMax } = limits.privacy;

export async function rowsOfPerson(
  work: Work,
  { after, ...wish }: NamedPerson & { readonly after: RowPlace | null },
): Promise<PersonRows> {
  const rows: PersonRows['rows'][number][] = [];
  let chars = 0;
  const session = sessionFor(work);
  for (const naming of namingEntities(work, wish)) {
    const { name: entity, columns } = naming.model;
    const { kind, bytesOf } = kindOf(work, naming);
    if (after !== null && entity < after.entity) continue;
    const skip = after?.entity === entity ? after.skip : 0;
    const write = jsonWriterOf(columns, true);
    let at = 0;
    for await (const batch of batchesOf(session, naming))
      for (const { slots } of batch) {
        if (at++ < skip) continue;
        if (rows.length === pageRows || chars > pageCharsMax)
          return { rows, next: { service: 'data', entity, skip: at - 1 } };
        const row = write(slots);
        chars += row.length;
        rows.push({ kind, entity, row, ...bytesOf(slots) });
      }
  }
  return { rows, next: null };
}

/** A document, an asset with the path of its bytes, or another row. */
function kindOf({ activation }: Work, { model }: Naming) {
  const kind = contentKind(activation.product, model.definition);
  const store = model.column('store');
  const bytesOf = (slots: readonly unknown[]) =>
    kind === 'asset' ? { bytes: assetBytesPath(String(slots[store!.at]), String(slots[model.key.at])) } : {};
  return { kind, bytesOf };
}
