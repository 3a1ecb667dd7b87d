/** A page of a person's rows, unmasked: they are the person's own. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import type { PersonRows, NamedPerson, RowPlace } from '#actors/protocol/person.ts';
import { batchesOf, namingEntities, sessionFor } from './find.ts';

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
    if (after !== null && entity < after.entity) continue;
    const skip = after?.entity === entity ? after.skip : 0;
    const write = jsonWriterOf(columns, true);
    let at = 0;
    for await (const batch of batchesOf(session, naming))
      for (const { slots } of batch) {
        if (at++ < skip) continue;
        if (rows.length === pageRows || chars > pageCharsMax) return { rows, next: { entity, skip: at - 1 } };
        const row = write(slots);
        chars += row.length;
        rows.push({ entity, row });
      }
  }
  return { rows, next: null };
}
