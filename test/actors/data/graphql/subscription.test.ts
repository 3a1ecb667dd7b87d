/** Subscriptions of GraphQL in a tenant in memory, under the simulated clock: what they tell, to which callers, how they end. docs/contract/changes.md §10 */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { dataService } from '#actors/data/service.ts';
import { forgetChanges } from '#actors/data/changes/changes.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const team = entityOf('team', { id: { type: 'string' }, name: { type: 'string', nullable: true } });
const note = entityOf(
  'note',
  {
    id: { type: 'string' },
    title: { type: 'string', nullable: true },
    owner: { type: 'string', nullable: true },
    mail: { type: 'string', nullable: true, mask: 'email' },
    wage: { type: 'integer', nullable: true, roles: { read: ['chief'], write: ['chief'] } },
    team_id: { type: 'ref', ref: { entity: 'team' }, nullable: true },
  },
  {
    traits: ['soft_delete', 'versioned'],
    changes: true,
    rowRule: "row.owner == principal.subject || 'chief' in principal.roles",
  },
);
const ANN: Principal = { ...USER, subject: 'ann' };
const BOB: Principal = { ...USER, subject: 'bob' };
const CHIEF: Principal = { ...USER, subject: 'chief', roles: ['chief'] };
const SSE = 'content-type:application/json\naccept:text/event-stream\n';

interface Answer {
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data?: any;
  readonly errors?: readonly { readonly message: string; readonly extensions: Readonly<Record<string, unknown>> }[];
}

let tenant: DataTenant;
/** Whom each credential stands for now. */
let known: Map<string, Principal>;
let ticks: (() => void)[];

beforeEach(async () => {
  known = new Map([ANN, BOB, CHIEF].map((who) => [`Bearer ${who.subject}`, who]));
  ticks = [];
  const service = dataService({
    bearers: () => ({ check: (authorization) => known.get(authorization) ?? null }),
    every: (_ms, run) => {
      ticks.push(run);
      return () => void ticks.splice(ticks.indexOf(run), 1);
    },
  });
  tenant = await DataTenant.open(productOf([team, note]), { service });
});

const by = (principal: Principal, extra = '') => ({ principal, authorization: `Bearer ${principal.subject}`, extra });
async function write(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<void> {
  const { status, body: told } = await tenant.send(method, `/data/rest/${path}`, body, by(CHIEF));
  expect([status < 300, told]).toEqual([true, told]);
}
const create = (row: object) => write('POST', 'note', row);

/** The stream of a document, and its answers so far. */
async function stream(principal: Principal, query: string, variables: object = {}) {
  const { outcome } = await tenant.begin('POST', '/data/graphql', { query, variables }, by(principal, SSE));
  if (isRefusal(outcome)) throw new Error(`${outcome.status} ${outcome.code}`);
  expect([outcome.status, outcome.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
  let text = outcome.text ?? '';
  let isOver = outcome.stream === undefined;
  if (outcome.stream !== undefined) {
    const { pieces } = outcome.stream;
    void (async () => {
      for await (const piece of pieces) text += Buffer.from(piece).toString();
      isOver = true;
    })();
  }
  const answers = (): Answer[] =>
    [...text.matchAll(/^event: next\ndata: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as Answer);
  return {
    answers,
    told: () => answers().map(({ data }) => data?.note_changes),
    isComplete: () => text.endsWith('event: complete\ndata:\n\n'),
    isOver: () => isOver,
    left: () => outcome.stream?.left?.(),
  };
}
const ALL = `subscription ($after: Integer, $snapshot: Boolean, $filter: NoteFilter) {
  note_changes(after: $after, snapshot: $snapshot, filter: $filter) { seq op id version tx row { id title } }
}`;
const opsOf = (told: readonly { op: string; id: string | null }[]) => told.map(({ op, id }) => `${op} ${id}`);

test('changes are told once, in order, and from a position on', async () => {
  const first = await stream(ANN, ALL);
  await expect
    .poll(first.told)
    .toEqual([{ seq: expect.any(Number), op: 'idle', id: null, version: null, tx: null, row: null }]);
  await create({ id: 'a', owner: 'ann', title: 'one' });
  await create({ id: 'b', owner: 'bob' });
  await write('PATCH', 'note/id/a', { title: 'two' });
  await write('DELETE', 'note/id/a');
  await expect.poll(() => opsOf(first.told())).toEqual(['idle null', 'create a', 'update a', 'gone a']);
  const [begun, created, , gone] = first.told();
  expect(created).toMatchObject({ version: 1, tx: expect.any(Number) });
  expect(gone.row).toBeNull();
  first.left();
  const again = await stream(ANN, ALL, { after: begun.seq });
  await expect.poll(() => opsOf(again.told()).slice(1)).toEqual(['create a', 'update a', 'gone a']);
  const rest = await stream(ANN, ALL, { after: created.seq });
  await expect.poll(() => opsOf(rest.told()).slice(1)).toEqual(['update a', 'gone a']);
});

test('rows of a snapshot come first, then what is behind it; a filter counts for both', async () => {
  for (const id of ['a', 'b', 'c']) await create({ id, owner: 'ann', title: id === 'b' ? 'no' : 'yes' });
  const filter = { title: { eq: 'yes' } };
  const one = await stream(ANN, ALL, { snapshot: true, filter });
  await expect.poll(() => opsOf(one.told())).toEqual(['row a', 'row c', 'snapshot null']);
  await write('PATCH', 'note/id/b', { title: 'yes' });
  await write('PATCH', 'note/id/a', { title: 'no' });
  await expect.poll(() => opsOf(one.told()).slice(3)).toEqual(['update b', 'gone a']);
  expect(one.told()[3].seq).toBeGreaterThan(one.told()[2].seq);
});

test('masks, roles and relations are those of queries', async () => {
  await write('POST', 'team', { id: 't', name: 'Red' });
  const query = 'subscription { changed: note_changes { op row { mail team { name } } } }';
  const ann = await stream(ANN, query);
  const chief = await stream(CHIEF, 'subscription { note_changes { row { wage } } }');
  await expect.poll(() => ann.answers().length).toBe(1);
  await expect.poll(() => chief.answers().length).toBe(1);
  await create({ id: 'a', owner: 'ann', mail: 'ann@example.org', wage: 7, team_id: 't' });
  await expect.poll(() => ann.answers()[1]?.data.changed.row?.team).toEqual({ name: 'Red' });
  const asked = await tenant.send(
    'POST',
    '/data/graphql',
    { query: '{ note { nodes { mail } } }' },
    by(ANN, SSE.replace('text/event-stream', 'application/json')),
  );
  expect(ann.answers()[1]!.data.changed.row.mail).toBe(asked.body.data.note.nodes[0].mail);
  expect(asked.body.data.note.nodes[0].mail).not.toBe('ann@example.org');
  await expect.poll(() => chief.told()[1]?.row).toEqual({ wage: 7 });
  for (const hidden of [
    'note_changes { row { wage } }',
    'note_changes(filter: {wage: {eq: 7}}) { op }',
    'team_changes { op }',
  ]) {
    const refused = await stream(ANN, `subscription { ${hidden} }`);
    expect([hidden, refused.answers()[0]!.errors![0]!.extensions['code'], refused.isComplete()]).toEqual([
      hidden,
      'v2.graphql_invalid',
      true,
    ]);
  }
  const masked = await stream(ANN, 'subscription { note_changes(filter: {mail: {eq: "ann@example.org"}}) { op } }');
  expect(masked.answers()).toEqual([
    { errors: [expect.objectContaining({ extensions: expect.objectContaining({ status: 403 }) })] },
  ]);
});

test('a credential that ends, other roles, and a position that is too old end it with an error', async () => {
  const [ended, other, old] = [await stream(ANN, ALL), await stream(BOB, ALL), await stream(CHIEF, ALL)];
  for (const one of [ended, other, old]) await expect.poll(() => one.answers().length).toBe(1);
  known.delete('Bearer ann');
  known.set('Bearer bob', { ...BOB, roles: ['chief'] });
  await create({ id: 'a', owner: 'ann', wage: 7 });
  await expect.poll(ended.isComplete).toBe(true);
  await expect.poll(other.isComplete).toBe(true);
  expect(ended.answers().at(-1)!.errors![0]!.extensions).toMatchObject({
    code: 'unauthorized',
    details: { reason: 'session' },
  });
  expect(other.answers().at(-1)!.errors![0]!.extensions).toMatchObject({ details: { reason: 'definitions' } });
  expect(JSON.stringify([ended.answers(), other.answers()])).not.toContain('"create"');
  await expect.poll(() => old.answers().length).toBe(2);
  forgetChanges(tenant.activation);
  await expect.poll(old.isComplete).toBe(true);
  const { code, details } = old.answers().at(-1)!.errors![0]!.extensions as {
    code: string;
    details: { after: number };
  };
  expect([code, details.after]).toEqual(['v2.changes_position_over', expect.any(Number)]);
  const on = await stream(CHIEF, ALL, { after: details.after });
  await create({ id: 'b' });
  await expect.poll(() => opsOf(on.told()).at(-1)).toBe('create b');
  const bad = await stream(CHIEF, ALL, { after: -1 });
  await expect.poll(bad.isComplete).toBe(true);
});

test('a position that moves without a change is told, and a comment where it does not', async () => {
  const one = await stream(ANN, ALL);
  await expect.poll(() => one.answers().length).toBe(1);
  await create({ id: 'b', owner: 'bob' });
  tenant.clock.advance(limits.changes.idleLagMs * 2);
  for (const run of ticks) run();
  await expect.poll(() => opsOf(one.told())).toEqual(['idle null', 'idle null']);
  expect(one.told()[1].seq).toBeGreaterThan(one.told()[0].seq);
});

test('what one event may cost is bounded, and what a snapshot may cost together', async () => {
  const page = limits.graphql.firstMax;
  const costly = `subscription { note_changes { row { team { note_by_team(first: ${page}) { nodes { id title owner mail version team { id name } } } } } } }`;
  const refused = await stream(ANN, costly);
  expect(refused.answers()[0]!.errors![0]!.extensions).toMatchObject({ code: 'v2.graphql_too_complex' });
  for (let no = 0; no < 40; no++) await create({ id: `n${no}`, owner: 'ann' });
  const wide =
    'subscription { note_changes(snapshot: true) { row { team { note_by_team(first: 300) { nodes { id } } } } } }';
  const many = await stream(ANN, wide);
  expect(many.answers()[0]!.errors![0]!.extensions).toMatchObject({ code: 'v2.graphql_too_complex' });
});

test('subscribers are those of the feed; queries and mutations are one event', async () => {
  const opened: Awaited<ReturnType<typeof stream>>[] = [];
  for (let no = 0; no < limits.changes.perCallerMax; no++) opened.push(await stream(ANN, ALL));
  await expect(stream(ANN, ALL)).rejects.toThrow('429 v2.changes_full');
  const { status } = await tenant.send('GET', '/data/changes?entity=note', undefined, by(ANN));
  expect(status).toBe(429);
  const made = await stream(CHIEF, 'mutation { create_note(data: {id: "m", owner: "ann"}) { id } }');
  expect([made.answers(), made.isComplete()]).toEqual([[{ data: { create_note: { id: 'm' } } }], true]);
  await expect.poll(() => opsOf(opened[0]!.told()).at(-1)).toBe('create m');
  const bare = await tenant.send('POST', '/data/graphql', { query: ALL }, by(ANN, 'content-type:application/json\n'));
  expect(bare.body.errors[0].extensions.code).toBe('v2.graphql_invalid');
  const get = await tenant.begin(
    'GET',
    `/data/graphql?query=${encodeURIComponent('mutation { delete_note(id: "m") { id } }')}`,
    undefined,
    by(CHIEF, 'accept:text/event-stream\n'),
  );
  expect(isRefusal(get.outcome) ? '' : get.outcome.text).toContain('mutations are sent by POST');
});
