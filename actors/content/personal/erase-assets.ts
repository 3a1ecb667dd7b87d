/** Deletes or anonymizes assets whose metadata lies in files, up to a bound in each ask; data has done those in the database. Then bytes that nothing needs go. */
import { hash } from 'node:crypto';
import { fieldsOfPerson } from '#config/definitions/person.ts';
import type { EntityDefinition } from '#config/definitions/product.ts';
import { ANONYMOUS_CHARS, anonymityOf } from '#config/definitions/retention.ts';
import { limits } from '#config/limits.ts';
import { untilFree } from '#actors/host/pace/own-turns.ts';
import type { Work } from '#actors/host/work.ts';
import { bothRows, type ErasedRows, type ErasedStep, type NamedPerson } from '#actors/protocol/person.ts';
import { sweepErased } from '../asset/sweep.ts';
import type { Row } from '../rows.ts';
import { allStores, namingStores, type NamingStore } from './find.ts';

const NONE = { deleted: 0, anonymized: 0, kept: 0, blocked: 0 };

export async function eraseAssets(work: Work, { user }: NamedPerson): Promise<ErasedStep> {
  let rows: ErasedRows = {};
  let left: number = limits.privacy.eraseRows;
  for (const naming of namingStores(work.activation)) {
    const done = await eraseIn(work, naming, user, left);
    rows = bothRows(rows, { [naming.store.asset]: { ...NONE, ...done.counts } });
    left -= done.changed;
    if (done.more) return { rows, more: true };
  }
  for (const store of allStores(work.activation)) {
    await store.uploads.removeOf(`user:${user}`);
    if (store.onErasure === 'delete') sweepErased(work.activation, store);
  }
  return { rows, more: false };
}

interface Done {
  readonly counts: Partial<ErasedRows[string]>;
  readonly changed: number;
  readonly more: boolean;
}

async function eraseIn(
  work: Work,
  { store, files, onErasure }: NamingStore,
  user: string,
  left: number,
): Promise<Done> {
  if (onErasure === 'keep') return { counts: { kept: await countOf(files, user) }, changed: 0, more: false };
  const entity = work.activation.product.entities[store.asset]!;
  const found = await files.uploadedBy(user, '', left + 1);
  const now = found.slice(0, left);
  for (const asset of now) {
    await untilFree(work);
    await files.erase(asset['id'] as string, onErasure === 'delete' ? null : anonymousValues(entity, asset));
  }
  const changed = now.length;
  return {
    counts: { [onErasure === 'delete' ? 'deleted' : 'anonymized']: changed },
    changed,
    more: found.length > left,
  };
}

async function countOf(files: NamingStore['files'], user: string): Promise<number> {
  let count = 0;
  for (let last = '', more = true; more;) {
    const found = await files.uploadedBy(user, last, limits.privacy.pageRows);
    count += found.length;
    more = found.length === limits.privacy.pageRows;
    last = (found.at(-1)?.['id'] as string | undefined) ?? '';
  }
  return count;
}

/** As retention empties them: null, the default, or a neutral text that is the same each time. */
function anonymousValues(entity: EntityDefinition, { id }: Row): Row {
  const values = fieldsOfPerson(entity).map((name) => {
    const field = entity.fields[name]!;
    const way = anonymityOf(field);
    if (way === 'text') return [name, anonymousText(entity.name, id as string)];
    return [name, way === 'default' ? field.default : null];
  });
  return Object.fromEntries(values) as Row;
}

const anonymousText = (entity: string, id: string): string =>
  `anon-${hash('sha256', `${entity}\0${id}`, 'hex')}`.slice(0, ANONYMOUS_CHARS);
