/** Forms of a tenant on a real node: submissions become rows, run scripts, are refused, wait, are read, exported and erased. docs/contract/triggers.md §7 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runVerb } from '#runtime/control-verbs.ts';
import { writeDesk } from '#test/kit/desk-forms.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const LIST = '/data/admin/data/submissions';
const EVENTS = '/data/admin/data/triggers/events';
const LOG = `/audit/logs/${encodeURIComponent(`tenant/${TENANT.replaceAll(':', '/')}`)}/records?limit=500`;
const SOON = { timeout: 30_000 };
const dir = mkdtempSync(join(tmpdir(), 'skep-tenant-forms-'));
let node: TestNode;
let caller: Headers;
let admin: Headers;
let user: Headers;
let neighbour: Headers;

interface Submission {
  readonly id: string;
  readonly form: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly outcome: string;
  readonly attempts: number;
  readonly error: string | null;
}

beforeAll(async () => {
  node = await startTestNode({ ...writeDesk(dir), extra: 'jobs: { threads: 1 }\naudit: { enabled: true }\n' });
  caller = await node.service();
  admin = await userOf(TENANT, 'ann', ['tenant_admin']);
  user = await userOf(TENANT, 'bob', ['agent']);
  neighbour = await userOf(OTHER_TENANT, 'nan', ['tenant_admin']);
}, 60_000);
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function userOf(tenant: string, name: string, roles: readonly string[]): Promise<Headers> {
  const login = `${name}@example.org`;
  await node.node.ask(tenant, 'identity', 'person.ensure', { email: login, password: PASSWORD, roles });
  const here = positionHeaders(tenant);
  const { json } = await node.call('POST', '/auth/login', here, { login, password: PASSWORD });
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

async function submit(form: string, fields: object): Promise<string> {
  const { status, text, json } = await node.call('POST', `/f/${form}`, {}, fields, node.node.listeners['intake']);
  expect(status, text).toBe(200);
  return (json as { id: string }).id;
}
const rows = async (entity: string): Promise<Record<string, unknown>[]> =>
  ((await node.call('GET', `/data/rest/${entity}?limit=500`, caller)).json as { data: Record<string, unknown>[] }).data;
async function listed(query = '', as = admin): Promise<Submission[]> {
  const { status, text, json } = await node.call('GET', `${LIST}?limit=500${query}`, as);
  expect(status, text).toBe(200);
  return (json as { submissions: Submission[] }).submissions;
}
const one = async (id: string): Promise<Submission | undefined> => (await listed()).find((found) => found.id === id);
const until = (id: string, outcome: string) => expect.poll(async () => (await one(id))?.outcome, SOON).toBe(outcome);
const stand = (standing: string | null) =>
  runVerb(node.node, 'tenant.stand', { key: TENANT, standing, reason: 'a test' });
const code = ({ status, json }: Answer): unknown[] => [status, (json as { code?: string } | undefined)?.code];

test('a submission becomes a row of its tenant, under the role of the trigger alone', async () => {
  const id = await submit('contact', { subject: 'No sound', email: 'Ada@example.org' });
  await until(id, 'delivered');
  expect(await rows('ticket')).toMatchObject([
    { subject: 'No sound', requester: 'Ada@example.org', reference: id, channel: 'web' },
  ]);
  expect(await one(id)).toMatchObject({ form: 'contact', fields: { subject: 'No sound' }, error: null });
});

test('a script gets what was submitted', async () => {
  await until(await submit('asked', { subject: 'a question' }), 'delivered');
  expect(await rows('note')).toMatchObject([{ of: 'asked a question form.submitted' }]);
});

test('what the entity refuses is a failed event with its reason, beside those of other triggers, and can be dropped', async () => {
  const long = await submit('contact', { subject: 'x'.repeat(60) });
  const denied = await submit('denied', { subject: 'a' });
  for (const id of [long, denied]) await until(id, 'failed');
  expect((await one(long))!.error).toContain('subject');
  expect((await one(denied))!.error).toContain('not allowed');
  const { json } = await node.call('GET', `${EVENTS}?outcome=failed`, admin);
  const events = (json as { events: { id: string; event: string; trigger: string }[] }).events;
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        id: long,
        event: 'submitted',
        trigger: 'contact',
        entity: null,
        key: null,
        attempts: 5,
      }),
      expect.objectContaining({ id: denied, trigger: 'denied' }),
    ]),
  );
  expect((await node.call('DELETE', `${EVENTS}/${denied}`, admin)).status).toBe(200);
  expect((await node.call('POST', `${EVENTS}/${denied}/retry`, admin)).status).toBe(200);
  expect(await one(denied)).toMatchObject({ outcome: 'waiting' });
  expect((await node.call('DELETE', `${EVENTS}/${denied}`, admin)).status).toBe(200);
  await until(denied, 'dropped');
}, 60_000);

test.each(['suspended', 'read-only'])(
  'a tenant that is %s keeps its own submissions waiting, and no others',
  async (standing) => {
    await stand(standing);
    const mine = await submit('contact', { subject: `while ${standing}` });
    const theirs = await submit('elsewhere', { subject: 'a' });
    await expect.poll(async () => (await listed('', neighbour)).some(({ id }) => id === theirs), SOON).toBe(true);
    await stand(null);
    await until(mine, 'delivered');
  },
);

test('submissions are for administrators of their tenant alone', async () => {
  const id = await submit('elsewhere', { subject: 'of the other tenant' });
  await expect.poll(async () => (await listed('', neighbour)).map((found) => found.id), SOON).toContain(id);
  expect((await listed()).map(({ form }) => form)).not.toContain('elsewhere');
  expect(new Set((await listed('', neighbour)).map(({ form }) => form))).toEqual(new Set(['elsewhere']));
  expect(await listed('&outcome=kept', neighbour)).not.toEqual([]);
  for (const path of [LIST, `${LIST}/export`]) {
    expect(code(await node.call('GET', path, user))).toEqual([403, 'v2.requires_admin']);
    expect(code(await node.call('GET', path, caller))).toEqual([403, 'v2.requires_admin']);
    expect((await node.call('GET', path, positionHeaders(TENANT))).status).toBe(401);
  }
});

test('one that no trigger is about is kept; forms that name no tenant reach none', async () => {
  const free = await submit('free', { subject: 'a' });
  const plain = await submit('plain', { subject: 'b' });
  await until(free, 'kept');
  expect(await one(plain)).toBeUndefined();
});

test('an export has every submission once, and is on record with its count', async () => {
  const found: Submission[] = [];
  for (let next: string | null = ''; next !== null;) {
    const answer: Answer = await node.call('GET', `${LIST}/export?limit=2&after=${next}`, admin);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('ndjson')]);
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Submission & { end?: { next: string } });
    next = lines.pop()!.end!.next;
    found.push(...lines);
  }
  expect(found.toReversed()).toEqual(await listed());
  const actions = async (): Promise<string[]> =>
    ((await node.call('GET', LOG, admin)).json as { records: { action: string }[] }).records.map(
      ({ action }) => action,
    );
  await expect.poll(actions, SOON).toEqual(expect.arrayContaining(['data.submission.read', 'data.submission.export']));
  expect((await node.call('GET', LOG, admin)).text).not.toContain('No sound');
});

test('filters by form, outcome and time', async () => {
  expect(new Set((await listed('&form=contact&outcome=delivered')).map(({ form }) => form))).toEqual(
    new Set(['contact']),
  );
  expect(await listed(`&from=${new Date(Date.now() + 3_600_000).toISOString()}`)).toEqual([]);
  expect((await listed(`&to=${new Date(Date.now() + 3_600_000).toISOString()}`)).length).toBeGreaterThan(3);
});

test.each([
  [`${LIST}?outcome=refused`, 'v2.bad_outcome'],
  [`${LIST}?from=yesterday`, 'v2.bad_time'],
  [`${LIST}?before=x`, 'v2.bad_submission_cursor'],
  [`${LIST}/export?to=2026-13-01`, 'v2.bad_time'],
  [`${LIST}/export?after=x`, 'v2.bad_submission_cursor'],
])('%s is refused: %s', async (path, refused) => {
  expect(code(await node.call('GET', path, admin))).toEqual([400, refused]);
});

test('an erasure by the operator reaches what tenants keep, one by an administrator its own', async () => {
  const [eve, kim] = [
    await submit('free', { subject: 'e', email: 'eve@example.org' }),
    await submit('free', { subject: 'k', email: 'kim@example.org' }),
  ];
  await until(eve, 'kept');
  await until(kim, 'kept');
  expect(await node.node.eraseSubmissions('EVE@example.org')).toMatchObject({
    forms: { free: 1 },
    tenants: { [TENANT]: 1, [OTHER_TENANT]: 0 },
  });
  expect([await one(eve), (await one(kim))?.outcome]).toEqual([undefined, 'kept']);
  expect(await node.node.ask(TENANT, 'data', 'submissions.erase', { address: 'kim@example.org' })).toBe(1);
  expect(await one(kim)).toBeUndefined();
});
