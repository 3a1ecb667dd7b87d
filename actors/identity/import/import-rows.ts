/** What becomes of each row of an import, a slice of them in each commit. A stop loses no slice that was answered: the same rows again are `exists`. */
import { limits } from '#config/limits.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { costOf } from '#actors/kit/foreign-hash/form.ts';
import { parseHash, plainHash } from '#actors/kit/foreign-hash/parse.ts';
import { isOfToday } from '#actors/kit/password.ts';
import type { Personal } from '#actors/protocol/audit.ts';
import { tell, type Identity } from '../identity.ts';
import type { By } from '../people/stage-change.ts';
import { findLogin, putUser } from '../store.ts';
import { heldCosts } from './store.ts';
import type { RawRow } from './read-rows.ts';
import { importRow, type ImportAnswer, type ImportRow, type RowAnswer } from './shapes.ts';

type Refused = Pick<RowAnswer, 'code' | 'error'>;

export interface Importer {
  readonly by: By & { readonly personal?: Personal };
  /** Null, or why the roles cannot be given. */
  readonly refusedRoles: (roles: readonly string[]) => Refused | null;
}

const { sliceRows, formsMax, costsMax } = limits.userImport;

/** Commits what it imports. Other calls of the tenant run between two slices; so every row is judged in the turn that writes it. */
export async function importRows(
  identity: Identity,
  work: Work,
  importer: Importer,
  rows: readonly RawRow[],
): Promise<ImportAnswer> {
  const answers: RowAnswer[] = [];
  for (let from = 0; from < rows.length; from += sliceRows) {
    if (from > 0) await identity.afterTurn();
    work.nextTurn();
    for (const [at, row] of rows.slice(from, from + sliceRows).entries())
      answers.push({ row: from + at + 1, ...importOne(identity, work, importer, row) });
    work.commit();
  }
  const count = (result: RowAnswer['result']): number => answers.filter((answer) => answer.result === result).length;
  return { imported: count('imported'), existing: count('exists'), refused: count('refused'), rows: answers };
}

function importOne(identity: Identity, work: Work, importer: Importer, row: RawRow): Omit<RowAnswer, 'row'> {
  if ('fault' in row) return { email: null, result: 'refused', code: 'bad_row', error: row.fault };
  const parsed = importRow.safeParse(row.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return {
      email: emailOf(row.value),
      result: 'refused',
      code: 'bad_row',
      error: `${issue.path.join('.')}: ${issue.message}`,
    };
  }
  const { data } = parsed;
  const known = findLogin(work.turn(), data.email);
  if (known !== undefined) return { email: data.email, result: 'exists', id: known };
  const refused = importer.refusedRoles(data.roles ?? []) ?? refusedHash(work, data) ?? refusedTime(work, data);
  if (refused !== null) return { email: data.email, result: 'refused', ...refused };
  return { email: data.email, result: 'imported', id: put(identity, work, importer, data) };
}

/** The address of a row that is refused, so that it can be found; nothing else of it is repeated. */
function emailOf(value: unknown): string | null {
  const email = (value as { email?: unknown } | null)?.email;
  return typeof email === 'string' ? email.slice(0, limits.identity.emailCharsMax) : null;
}

/** Each login of the tenant runs one hash of each form that its users have: their number is bounded. */
function refusedHash(work: Work, { password_hash }: ImportRow): Refused | null {
  if (typeof password_hash !== 'string' || password_hash === '') return null;
  const parsed = parseHash(password_hash);
  if (!parsed.ok) return { code: 'hash_refused', error: `password_hash: ${parsed.fault}` };
  if (isOfToday(plainHash(password_hash))) return null;
  const { form, units } = costOf(parsed.hash);
  const { forms, costs } = heldCosts(work.turn());
  const isNew = !forms.has(form) && forms.size >= formsMax;
  if (!isNew && (costs.has(`${form} ${units}`) || costs.size < costsMax)) return null;
  const mend =
    'wait until users of one have logged in, or import these users without a hash: they set a password by a reset';
  return {
    code: 'too_many_hash_forms',
    error: `password_hash: users of this tenant have hashes of ${forms.size} other forms (${[...forms].join('; ')}), and of ${costs.size} costs; at most ${formsMax} forms and ${costsMax} costs: ${mend}`,
  };
}

function refusedTime(work: Work, { created_at }: ImportRow): Refused | null {
  if (typeof created_at !== 'string' || instantMs(created_at) <= work.now) return null;
  return { code: 'bad_row', error: 'created_at: it lies in the future' };
}

function put(identity: Identity, work: Work, importer: Importer, row: ImportRow): string {
  const { email, firstname = null, lastname = null, password_hash, external_id } = row;
  const id = work.activation.context.ids.next();
  const now = timestamp(work.now);
  const roles = row.roles ?? [];
  putUser(work.turn(), {
    id,
    email,
    firstname,
    lastname,
    roles,
    password_hash: plainHash(password_hash ?? ''),
    allow_impersonation: false,
    created_at: typeof row.created_at === 'string' ? timestamp(instantMs(row.created_at)) : now,
    ...(row.verified === true ? { verified_at: now } : {}),
    ...(typeof external_id === 'string' ? { external_id } : {}),
  });
  const { by } = importer;
  const event = { ...by, personal: { ...by.personal, email }, target: id, data: { roles, imported: true } };
  tell(identity, work, { ...event, action: 'auth.user.created' });
  return id;
}
