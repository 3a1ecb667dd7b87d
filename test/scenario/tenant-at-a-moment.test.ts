/** A tenant as it was at any moment after a set. Contract: docs/contract/platform.md §5; docs/decisions/backup.md BK-20, BK-21. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openControl } from '#runtime/control.ts';
import { startNode, type Node } from '#runtime/node.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 90_000 };
const dir = mkdtempSync(join(tmpdir(), 'skep-moment-'));
const place = join(dir, 'backups');
const file = join(dir, 'platform.yaml');
const key = join(dir, 'backup.key');
let it: TestNode;
let node: Node;
let closeControl: () => Promise<void> | void;
/** Good in every tenant of the product that has it: restored ones, too. */
const keys = new Map<string, string>();

beforeAll(async () => {
  mkdirSync(place);
  const identity = await generateIdentity();
  writeFileSync(key, `${identity}\n`);
  const recipients = `[${await identityToRecipient(identity)}]`;
  it = await startTestNode({
    dir,
    extra: `backups: { to: ${place}, encrypt: { recipients: ${recipients} }, journal: { every: 1s } }\n`,
  });
  node = it.node;
  closeControl = await openControl(it.platform.storage.dir, node);
  const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
  for (const tenant of [TENANT, OTHER_TENANT])
    keys.set(tenant, ((await node.ask(tenant, 'identity', 'key.issue', wish)) as { key: string }).key);
}, 60_000);

afterAll(async () => {
  await closeControl();
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

const gateway = (): string => node.listeners['gateway']!;

async function bearerOf(tenant: string): Promise<Headers> {
  const headers = positionHeaders(tenant);
  const body = { ...headers, Authorization: `ApiKey ${keys.get(tenant) ?? keys.get(TENANT)!}` };
  const answer = await call(gateway(), 'POST', '/auth/token', body);
  return { ...headers, Authorization: `Bearer ${(answer.json as { token: string }).token}` };
}

async function create(tenant: string, name: string): Promise<string> {
  const answer = await call(gateway(), 'POST', '/data/rest/item', await bearerOf(tenant), { name });
  expect(answer.status, answer.text).toBe(201);
  return (answer.json as { data: { id: string }[] }).data[0]!.id;
}

async function remove(tenant: string, id: string): Promise<void> {
  const answer = await call(gateway(), 'DELETE', `/data/rest/item/id/${id}`, await bearerOf(tenant));
  expect(answer.status, answer.text).toBe(200);
}

async function names(tenant: string): Promise<string[]> {
  const answer = await call(gateway(), 'GET', '/data/rest/item?limit=1000', await bearerOf(tenant));
  expect(answer.status, answer.text).toBe(200);
  return (answer.json as { data: { name: string }[] }).data.map(({ name }) => name).toSorted();
}

async function upload(tenant: string, id: string, bytes: string): Promise<void> {
  const body = new FormData();
  body.append('id', id);
  body.append('title', id);
  body.append('scan', new File([bytes], 'a.txt'));
  const answer = await fetch(`${gateway()}/data/rest/paper`, { method: 'POST', headers: await bearerOf(tenant), body });
  expect(answer.status, await answer.text()).toBe(201);
}

const scan = async (tenant: string, id: string): Promise<string> =>
  (await fetch(`${gateway()}/data/rest/paper/id/${id}?download=true&field=scan`, { headers: await bearerOf(tenant) })).text(); // prettier-ignore

/** An instant by which everything so far is in the copy, and nothing of later. */
async function moment(): Promise<string> {
  const now = Date.now();
  await expect
    .poll(async () => Date.parse(String((await node.backups.status())['journal_copied'])), { timeout: 20_000 })
    .toBeGreaterThan(now + 2000); // the mark of an idle journal is a second old
  return new Date().toISOString();
}

async function restored(as: string, at: string, tenant = TENANT): Promise<{ code: number; err: string; out: string }> {
  return skep(`backup restore -f ${file} --tenant ${tenant} --as ${as} --at ${at} --identity ${key}`);
}

test('a mistake is taken back: the tenant of the moment before it stands beside the one of today', LIMIT, async () => {
  await create(TENANT, 'before the set');
  await upload(TENANT, 'p1', 'a file of the set');
  await node.backups.now();
  const kept = await create(TENANT, 'after the set');
  await create(OTHER_TENANT, 'a neighbour');
  await upload(TENANT, 'p2', 'a file of later');
  const good = await moment();
  await remove(TENANT, kept);
  await create(TENANT, 'after the mistake');
  const bad = await moment();
  await node.backups.now();
  for (const [as, at, shown] of [
    ['acme:shop:dev:good', good, ['after the set', 'before the set']],
    ['acme:shop:dev:bad', bad, ['after the mistake', 'before the set']],
  ] as const) {
    const { code, err, out } = await restored(as, at);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^missing_files +0$/m);
    expect(await names(as)).toEqual(shown);
    expect([await scan(as, 'p1'), await scan(as, 'p2')]).toEqual(['a file of the set', 'a file of later']);
  }
  expect(await names(TENANT)).toEqual(['after the mistake', 'before the set']);
  expect(readdirSync(join(dir, 'data')).filter((name) => name.includes('.skep'))).toEqual([]);
});

test('a stop copies what is left, and the copy goes on over a restart without a gap', LIMIT, async () => {
  await create(TENANT, 'before the stop');
  await closeControl();
  await node.stop();
  node = await startNode(it.platform);
  closeControl = await openControl(it.platform.storage.dir, node);
  await create(TENANT, 'after the start');
  const at = await moment();
  const { code, err } = await restored('acme:shop:dev:on', at);
  expect(code, err).toBe(0);
  expect(await names('acme:shop:dev:on')).toEqual(expect.arrayContaining(['before the stop', 'after the start']));
  const { text } = await call(node.listeners['operations']!, 'GET', '/metrics');
  expect(text).toMatch(/^skep_journal_copy_gaps_total 0$/m);
  expect(text).toMatch(/^skep_journal_copy_bytes_total [1-9]/m);
});

test('a tenant that was deleted comes back as of any moment before that, and as of none after it', LIMIT, async () => {
  const tenant = 'acme:shop:dev:good';
  await node.backups.now();
  await create(tenant, 'the last row');
  const good = await moment();
  await node.copies.delete({ tenant, confirm: tenant });
  const gone = await restored('acme:shop:dev:again', await moment(), tenant);
  expect([gone.code, gone.err]).toEqual([
    1,
    expect.stringMatching(/good was deleted, moved or restored at 20.*before/),
  ]);
  const { code, err } = await restored('acme:shop:dev:again', good, tenant);
  expect(code, err).toBe(0);
  expect(await names('acme:shop:dev:again')).toEqual(['after the set', 'before the set', 'the last row']);
});

test('what a moment cannot be reached by is said, with what to do', LIMIT, async () => {
  const early = await restored('acme:shop:dev:none', '2020-01-01T00:00:00Z');
  expect([early.code, early.err]).toEqual([1, expect.stringMatching(/the first set that has it is of 20/)]);
  const sealed = await skep(
    `backup restore -f ${file} --tenant ${TENANT} --as acme:shop:dev:none --at ${await moment()}`,
  );
  expect([sealed.code, sealed.err]).toEqual([1, expect.stringContaining('--identity')]);
  const folder = join(place, 'journal', readdirSync(join(place, 'journal'))[0]!);
  const chunks = readdirSync(folder).toSorted();
  rmSync(join(folder, chunks.at(-2)!));
  const hole = await restored('acme:shop:dev:none', new Date().toISOString());
  expect([hole.code, hole.err]).toEqual([1, expect.stringMatching(/is missing: the latest moment before it is 20/)]);
  for (const line of ['--at yesterday --tenant a:b:c:d', `--at 2026-01-01T00:00:00Z --into ${dir}/x`])
    expect((await skep(`backup restore -f ${file} ${line}`)).code).toBe(2);
});
