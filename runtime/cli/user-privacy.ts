/** `skep user export|erase`: all that the node holds of one person, line by line, and its end. */
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { limits } from '#config/limits.ts';
import type { UserView } from '#actors/identity/people/shapes.ts';
import type { OwnPart } from '#actors/identity/privacy/operator-privacy.ts';
import type { ErasureView } from '#actors/identity/privacy/shapes.ts';
import type { ErasedSubmissions, PersonRecords, PersonRows, RowPlace } from '#actors/protocol/person.ts';
import type { Platform } from '#config/platform.ts';
import { eachOfPerson, ERASE_VERB, warnOfLeft } from './intake-person.ts';
import { askNodeOften, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import type { Terminal } from './terminal.ts';

type Ask = (verb: string, body: unknown) => Promise<unknown>;
type Options = OperatorOptions & { readonly tenant: string; readonly forms?: true };

export function addUserExport(parent: Command, terminal: Terminal): void {
  const example = 'skep user export ann@example.org -f platform.yaml --tenant acme:atlas:dev:main > ann.ndjson';
  operatorVerb(parent, 'export', 'print all that the node holds of a user, one JSON object a line', example)
    .argument('<user>', 'login or id')
    .addOption(tenantOption().makeOptionMandatory())
    .option('--forms', 'also the submissions of the address, in forms that declare person: <field>')
    .action(async (user: string, { file, tenant, forms }: Options) => {
      const platform = await platformOf(file, terminal);
      await askNodeOften(platform, (ask) =>
        printLines(ask, tenant, user, forms === true ? platform : null, (line) => terminal.out(`${line}\n`)),
      );
    });
}

/** The lines of `GET /auth/admin/users/{id}/export`, with the address's submissions where `ofForms` is given. */
async function printLines(
  ask: Ask,
  tenant: string,
  login: string,
  ofForms: Platform | null,
  out: (line: string) => void,
): Promise<void> {
  const { user, email, lines } = (await ask('user.export', { tenant, user: login })) as OwnPart;
  const { rowLine } = await import('#actors/identity/privacy/lines-of-person.ts');
  const counts: Record<string, number> = {};
  const say = (kind: string, line: string): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    out(line);
  };
  for (const line of lines) say(line.kind, JSON.stringify(line));
  for (let after: RowPlace | null = null, more = true; more;) {
    const page = (await ask('user.rows', { tenant, user, email, after })) as PersonRows;
    for (const row of page.rows) say(row.kind, rowLine(row));
    after = page.next;
    more = after !== null;
  }
  for (let from: number | null = 0; from !== null;) {
    const page = (await ask('user.records', { tenant, user, from })) as PersonRecords;
    for (const record of page.records) say('audit', `{"kind":"audit",${record}}`);
    from = page.next;
  }
  if (ofForms !== null)
    await eachOfPerson(ofForms, email, (value) => say('submission', JSON.stringify({ kind: 'submission', value })));
  out(JSON.stringify({ kind: 'end', value: { lines: counts, not_included: await notIncluded(ofForms !== null) } }));
}

async function notIncluded(withForms: boolean): Promise<readonly string[]> {
  const { NOT_INCLUDED } = await import('#actors/identity/privacy/lines-of-person.ts');
  const forms = 'submissions of forms';
  return withForms
    ? NOT_INCLUDED.map((line) => line.replace(forms, `${forms} that do not declare \`person\``))
    : NOT_INCLUDED;
}

export function addUserErase(parent: Command, terminal: Terminal): void {
  const example = 'skep user erase ann@example.org -f platform.yaml --tenant acme:atlas:dev:main';
  operatorVerb(
    parent,
    'erase',
    'delete a user, erase the person in data and beside the audit log, and wait until it is done; a stop loses nothing of it',
    example,
  )
    .argument('<user>', 'login or id')
    .addOption(tenantOption().makeOptionMandatory())
    .option('--forms', 'also erase the submissions of the address; the forms of a node may serve several tenants')
    .action(async (user: string, { file, tenant, output, forms }: Options) => {
      const platform = await platformOf(file, terminal);
      const done = await askNodeOften(platform, async (ask) => {
        if (forms !== true) return { order: await eraseAndWait(ask, tenant, user), submissions: null };
        const { email } = (await ask('user.show', { tenant, user })) as Pick<UserView, 'email'>;
        const order = await eraseAndWait(ask, tenant, user);
        return { order, submissions: await eraseSubmissions(ask, email) };
      });
      terminal.out(renderRecord(recordOf(done), output));
      if (done.submissions !== null) warnOfLeft(done.submissions, terminal);
    });
}

interface Done {
  readonly order: ErasureView;
  readonly submissions: ErasedSubmissions | null;
}

function recordOf({ order, submissions }: Done): Record<string, unknown> {
  return submissions === null ? { ...order } : { ...order, submissions: submissions.forms };
}

/** The user is gone by now, so a failure says how to go on. */
async function eraseSubmissions(ask: Ask, email: string): Promise<ErasedSubmissions> {
  try {
    return (await ask(ERASE_VERB, { address: email })) as ErasedSubmissions;
  } catch (error) {
    const mend = `run skep intake person erase ${email} --confirm ${email}`;
    throw new Error(`the user is erased, submissions are not: ${(error as Error).message}\n    ${mend}`, {
      cause: error,
    });
  }
}

async function eraseAndWait(ask: Ask, tenant: string, user: string): Promise<ErasureView> {
  let order = (await ask('user.erase', { tenant, user })) as ErasureView;
  while (order.state === 'open') {
    await setTimeout(limits.privacy.lookMs);
    order = ((await ask('user.erasure', { tenant, id: order.id })) as ErasureView | null) ?? {
      ...order,
      state: 'done',
    };
  }
  return order;
}
