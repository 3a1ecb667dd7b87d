/** What is recorded of changed rows, in the commit that changes them (docs/contract/data.md §7.4: audit applies to every row). */
import { beforeEach, expect, test } from 'vitest';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import type { Turn } from '#storage/port.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const product = productOf([
  entityOf('person', { id: { type: 'string' }, email: { type: 'string', mask: 'email' }, n: { type: 'integer' } }),
]);
const LINES = ['a', 'b', 'c'].map((id) => `{"id":"${id}","email":"${id}@example.org"}`).join('\n');

let tenant: DataTenant;
let events: NewAuditEvent[];
beforeEach(async () => {
  tenant = await DataTenant.open(product);
  events = [];
  const commit = (turn: Turn, recorded: readonly NewAuditEvent[]): void => {
    events.push(...recorded);
    turn.commit();
  };
  Object.assign(tenant.activation, { outbox: { commit } });
});

test('a chunk of an import is one record that lists every row', async () => {
  const imported = await tenant.send('POST', '/data/bulk?entity=person&format=jsonl', LINES);
  expect(imported.body).toMatchObject({ imported: 3 });
  expect(events).toMatchObject([{ action: 'data.rows.change', outcome: 'ok' }]);
  const change = (id: string) => ({ entity: 'person', id, verb: 'create', version: 1, sha256: expect.any(String) });
  expect((events[0]!.data as { rows: object[] }).rows).toEqual(['a', 'b', 'c'].map(change));
});

test('so is each chunk of its own; a dry run and a refused chunk are none', async () => {
  await tenant.send('POST', '/data/bulk?entity=person&format=jsonl&dryrun=true', LINES);
  await tenant.send('POST', '/data/bulk?entity=person&format=jsonl', `${LINES}\n{"n":"x"}`);
  expect(events).toEqual([]);
  await tenant.send('POST', '/data/bulk?entity=person&format=jsonl&chunk=1', LINES);
  expect(events.map(({ action, target }) => [action, target])).toEqual(
    ['a', 'b', 'c'].map((id) => ['data.person.create', id]),
  );
});

test('GraphQL, envelopes and single writes are recorded alike, a read and a write that changes nothing not at all', async () => {
  await tenant.send('POST', '/data/rest/person', { id: 'a', n: 1 });
  await tenant.send('POST', '/data/rest', { operations: [{ action: 'update', data: { person: { id: 'a', n: 2 } } }] });
  const extra = 'content-type:application/json\n';
  const query = 'mutation { delete_person(id: "a") { id } }';
  await tenant.send('POST', '/data/graphql', { query }, { extra, principal: USER });
  await tenant.send('POST', '/data/rest/person', { id: 'b', n: 1 });
  await tenant.send('PATCH', '/data/rest/person/id/b', { n: 1 });
  await tenant.send('GET', '/data/rest/person');
  expect(events.map(({ action }) => action)).toEqual(
    ['create', 'update', 'delete', 'create'].map((verb) => `data.person.${verb}`),
  );
});
