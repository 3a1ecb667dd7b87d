/** `skep user export|erase`: all that the node holds of one person, line by line, and its end. */
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { limits } from '#config/limits.ts';
import { NOT_INCLUDED, rowLine } from '#actors/identity/privacy/lines-of-person.ts';
import type { OwnPart } from '#actors/identity/privacy/operator-privacy.ts';
import type { ErasureView } from '#actors/identity/privacy/shapes.ts';
import type { PersonRecords, PersonRows, RowPlace } from '#actors/protocol/person.ts';
import { askNodeOften, operatorVerb, platformOf, tenantOption } from './operator-verb.ts';
import type { OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import type { Terminal } from './terminal.ts';

type Ask = (verb: string, body: unknown) => Promise<unknown>;
type Options = OperatorOptions & { readonly tenant: string };

export function addUserExport(parent: Command, terminal: Terminal): void {
  const example = 'skep user export ann@example.org -f platform.yaml --tenant acme:atlas:dev:main > ann.ndjson';
  operatorVerb(parent, 'export', 'print all that the node holds of a user, one JSON object a line', example)
    .argument('<user>', 'login or id')
    .addOption(tenantOption().makeOptionMandatory())
    .action(async (user: string, { file, tenant }: Options) => {
      const platform = await platformOf(file, terminal);
      await askNodeOften(platform, async (ask) => {
        for await (const line of linesOf(ask, tenant, user)) terminal.out(`${line}\n`);
      });
    });
}

/** The lines of `GET /auth/admin/users/{id}/export`. */
async function* linesOf(ask: Ask, tenant: string, login: string): AsyncGenerator<string, void> {
  const { user, email, lines } = (await ask('user.export', { tenant, user: login })) as OwnPart;
  const counts: Record<string, number> = {};
  const count = (kind: string): void => void (counts[kind] = (counts[kind] ?? 0) + 1);
  for (const line of lines) {
    count(line.kind);
    yield JSON.stringify(line);
  }
  for (let after: RowPlace | null = null, more = true; more;) {
    const page = (await ask('user.rows', { tenant, user, email, after })) as PersonRows;
    for (const row of page.rows) {
      count(row.kind);
      yield rowLine(row);
    }
    after = page.next;
    more = after !== null;
  }
  for (let from: number | null = 0; from !== null;) {
    const page = (await ask('user.records', { tenant, user, from })) as PersonRecords;
    for (const record of page.records) {
      count('audit');
      yield `{"kind":"audit",${record}}`;
    }
    from = page.next;
  }
  yield JSON.stringify({ kind: 'end', value: { lines: counts, not_included: NOT_INCLUDED } });
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
    .action(async (user: string, { file, tenant, output }: Options) => {
      const platform = await platformOf(file, terminal);
      const done = await askNodeOften(platform, (ask) => eraseAndWait(ask, tenant, user));
      terminal.out(renderRecord({ ...done }, output));
    });
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
