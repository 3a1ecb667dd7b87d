/** Gives keys of a schema their `about` (schema-kit.ts) out of a table, for a file whose sections many modules share. */
import * as z from 'zod';
import { schemasAt } from '../schema-walk.ts';

/** Path → what the key is for. `[]` is an item of a list, `<name>` a name that the operator chooses; several keys may share one schema, and so one text. */
export type Texts = Readonly<Record<string, string>>;

/** The same schema. Throws for a path that it does not have. */
export function explain<T extends z.ZodType>(schema: T, texts: Texts): T {
  for (const [path, about] of Object.entries(texts)) {
    const found = schemasAt(schema, path.split('.'));
    if (found.length === 0) throw new Error(`the schema has no key ${path} to explain`);
    for (const one of found) z.globalRegistry.add(one, { ...one.meta(), about });
  }
  return schema;
}
