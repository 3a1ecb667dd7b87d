/** A rule or a program that does not compile: refused before it is served, and where it slips through it takes nothing else along. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { contentSourceOf } from '#config/resolve-content.ts';
import { putRevision } from '#actors/engine/schema/store.ts';
import { archiveCheckout } from '#runtime/checkout-files.ts';
import { startNode, type Node } from '#runtime/node.ts';
import { Revisions } from '#runtime/revisions.ts';
import { openAt } from '#test/storage/place.ts';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, positionHeaders, type Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const SECRETS = { SKEP_TEST_PREVIEW: 'preview-secret', SKEP_TEST_WEBHOOK: 'webhook-secret' };
const page = (name: string, program: string): string => `name: ${name}
method: GET
path: /${name}
auth: public
calls:
  sky: { url: UPSTREAM, method: GET, path: /sky }
response: { language: jq, program: '${program}' }
`;

let node: BffNode;
let caller: Headers;
let stores: string;
let app: string;
let pages: { readonly good: string; readonly bad: string };
/** The node that woke over them. */
let woken: Node | undefined;

beforeAll(async () => {
  node = await startBff({ good: page('good', '.calls.sky'), bad: page('bad', '.calls.sky') });
  caller = await node.service();
  const product = join(node.dir, 'product');
  stores = join(product, 'content', 'stores', 'stores.yaml');
  app = join(product, 'content', 'apps', 'plain', 'app.yaml');
  pages = { good: join(product, 'bff', 'good.yaml'), bad: join(product, 'bff', 'bad.yaml') };
  edit(stores, 'rule: \'!("hidden" in row.tags) || principal.type == "service"\'', 'rule: "row.tags ="');
  writeFileSync(app, `${readFileSync(app, 'utf8')}access: { read: { language: cel, rule: '1 + 1' } }\n`);
  edit(pages.bad, '.calls.sky', 'if .calls.sky then 1 else 2 end');
});
afterAll(async () => {
  await (woken ?? node.node).stop();
  await node.upstream.stop();
  await node.other.stop();
  rmSync(node.dir, { recursive: true, force: true });
});

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

const platformFile = (): string => join(node.dir, 'platform.yaml');

test('`skep check` names file, line and column of each', async () => {
  const { code, out, err } = await skep(`check -f ${platformFile()}`, SECRETS);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(`${stores}:8:`);
  expect(err).toContain(`${app}:3:`);
  expect(err).toContain('the rule gives int, not bool');
  expect(err).toMatch(new RegExp(`${pages.bad}:7:\\d+: if: a response selects and arranges`));
});

test('provisioning refuses them', async () => {
  const refused = await skep(`tenant provision -f ${platformFile()} --tenant ${TENANT}`, SECRETS);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(`${app}:3:`) });
  await expect(node.node.provision(TENANT)).rejects.toThrow(`${stores}:8:`);
});

/** The faulty checkout becomes the revision that the tenant serves, as one may that an earlier Skep kept, whose check saw less. */
async function keepFaulty(): Promise<Node> {
  const { no, shard } = node.node.tenants().find(({ position }) => position.key === TENANT)!;
  await node.node.stop();
  const { dir } = node.platform.storage;
  const archive = archiveCheckout(join(node.dir, 'product'), contentSourceOf(node.platform));
  const revision = await new Revisions(dir).keep(archive);
  const rows = await openAt(dir, { shards: [0, 1, 2, 3] });
  const turn = rows.store(shard, no).begin();
  putRevision(turn, revision);
  turn.commit();
  await rows.close();
  return startNode(node.platform);
}

test('a tenant that wakes over them serves the rest; the operations listener names each, until they are mended', async () => {
  const base = (woken = await keepFaulty()).listeners['gateway']!;
  node.upstream.answer = (_, response) => void response.end('{"sky":"blue"}');
  const get = (path: string) => call(base, 'GET', path, caller);
  expect(await get('/bff/good')).toMatchObject({ status: 200, json: { sky: 'blue' } });
  const unserved = (code: string) => ({ status: 503, json: { code, error: expect.stringContaining('not compile') } });
  expect(await get('/bff/bad')).toMatchObject(unserved('bff.unavailable'));
  expect(await get('/store/media/asset')).toMatchObject(unserved('content.unavailable'));
  expect(await get('/content/plain/note')).toMatchObject(unserved('content.unavailable'));
  expect(await get('/content/blog/post')).toMatchObject({ status: 200 });
  expect(await get('/store/locked/asset')).toMatchObject({ status: 403 });
  expect(await get('/data/rest/category')).toMatchObject({ status: 200 });

  const degraded = async (): Promise<unknown[]> => {
    const url = woken!.listeners['operations']!;
    const { status, json } = await call(url, 'GET', '/readyz', { Accept: 'application/json' });
    expect(status).toBe(200);
    return (json as { degraded: { scope: string }[] }).degraded.filter(({ scope }) => scope === 'part');
  };
  const partAt = (name: string, place: string) => {
    const reason = `it does not compile and is not served; mend it and run skep tenant provision: ${place}:`;
    return { scope: 'part', name: `${TENANT} ${name}`, reason: expect.stringContaining(reason) };
  };
  await expect
    .poll(degraded)
    .toMatchObject([
      partAt('access.readasset of the content store media', stores),
      partAt('access.read of the content app plain', app),
      partAt('endpoint bad of the BFF', pages.bad),
    ]);
  edit(stores, '"row.tags ="', "'true'");
  writeFileSync(app, readFileSync(app, 'utf8').replace('1 + 1', 'true'));
  edit(pages.bad, 'if .calls.sky then 1 else 2 end', '.calls.sky');
  await woken.provision(TENANT);
  expect(await get('/bff/bad')).toMatchObject({ status: 200 });
  expect(await get('/content/plain/note')).toMatchObject({ status: 200 });
  expect(await get('/store/media/asset')).toMatchObject({ status: 200 });
  await expect.poll(degraded).toEqual([]);
});

test('a node that starts says what is wrong in a checkout, and starts', { timeout: 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-faulty-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const localdir = magazineWith(dir, '');
  await (await startMagazine({ dir, localdir })).stop();
  const file = join(localdir, 'content', 'apps', 'plain', 'app.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}access: { read: { language: cel, rule: '1 + 1' } }\n`);
  const again = await startProcess(writePlatformFile(dir, { localdir }), SECRETS);
  onTestFinished(async () => void (await again.end('SIGTERM')));
  await expect.poll(() => again.logged(), { timeout: 20_000 }).toContain('a checkout has faults');
  expect(again.logged()).toContain(`${file}:3:`);
  const posts = await call(again.listeners['gateway']!, 'GET', '/content/blog/post', positionHeaders(TENANT));
  expect(posts.status).toBe(200);
});
