/** A rule or a program that does not compile: refused before it is served, and where it slips through it takes nothing else along. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBff } from '#test/kit/bff-node.ts';
import type { BffNode } from '#test/kit/bff-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Headers } from '#test/kit/test-node.ts';
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
afterAll(() => node.stop());

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

test('a tenant that wakes over them serves the rest', async () => {
  await node.node.ask(TENANT, 'host', 'forget', null);
  node.upstream.answer = (_, response) => void response.end('{"sky":"blue"}');
  const get = (path: string) => node.call('GET', path, caller);
  expect(await get('/bff/good')).toMatchObject({ status: 200, json: { sky: 'blue' } });
  const unserved = (code: string) => ({ status: 503, json: { code, error: expect.stringContaining('not compile') } });
  expect(await get('/bff/bad')).toMatchObject(unserved('bff.unavailable'));
  expect(await get('/store/media/asset')).toMatchObject(unserved('content.unavailable'));
  expect(await get('/content/plain/note')).toMatchObject(unserved('content.unavailable'));
  expect(await get('/content/blog/post')).toMatchObject({ status: 200 });
  expect(await get('/store/locked/asset')).toMatchObject({ status: 403 });
  expect(await get('/data/rest/category')).toMatchObject({ status: 200 });
});
