/** `@skep/client` as one module in Node, Bun and Deno: it logs in, writes, lists, follows changes, is refused, gives up, logs out; all three see the same. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from '#test/kit/bundled-client.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { lacks, RUNTIMES } from '#test/kit/runtimes.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { ROOT } from '#runtime/place.ts';

const run = promisify(execFile);
const EMAIL = 'ada@example.org';
const PASSWORD = 'correct horse battery';
const dir = mkdtempSync(join(tmpdir(), 'skep-client-runtimes-'));
const script = join(dir, 'script.mjs');
let it: TestNode;

/** What the runtime says goes to its output as one line of JSON. */
const sourceFor = (gateway: string): string => `
import { createClient, isSkepError } from '${ROOT}client/index.ts';
const skep = createClient({ url: ${JSON.stringify(gateway)}, position: '${TENANT}' });
const notes = skep.from('note');
const before = await notes.list().catch((error) => isSkepError(error, 'unauthorized') && error.status);
await skep.auth.login({ login: '${EMAIL}', password: '${PASSWORD}' });
const title = 'of ' + (globalThis.Deno ? 'deno' : globalThis.Bun ? 'bun' : 'node');
const made = await notes.create({ title, open: true });
const told = [];
for await (const one of notes.changes({ snapshot: true, where: { title: { like: title + '%' } } })) {
  told.push(one.type + ' ' + (one.row?.title ?? '').replace(title, 'note'));
  if (one.type === 'snapshot') await notes.update(made.id, { title: title + ', changed' }, { version: 1 });
  if (one.type === 'change') break;
}
const stale = await notes.update(made.id, { title }, { version: 1 }).catch((error) => [error.code, error.details.version]);
const many = await notes.create(Array.from({ length: 25 }, (_, no) => ({ title: title + ' ' + String(no).padStart(2, '0'), open: true })));
const stopped = new AbortController();
stopped.abort();
const aborted = await notes.list({ signal: stopped.signal }).catch((error) => error.name);
const gone = await createClient({ url: 'http://127.0.0.1:9', position: '${TENANT}', retry: { tries: 1 } }).from('note').list().catch((error) => isSkepError(error));
await notes.delete(made.id);
await skep.auth.logout();
console.log(JSON.stringify({ before, told, stale, many: many.length, aborted, gone, isLoggedIn: skep.auth.isLoggedIn }));
`;

beforeAll(async () => {
  it = await startTestNode({ localdir: writeNoteProduct(dir) });
  await it.node.ask(TENANT, 'identity', 'person.ensure', { email: EMAIL, password: PASSWORD, roles: ['tenant_user'] });
  writeFileSync(script, await bundled(sourceFor(it.gateway)));
}, 60_000);
afterAll(async () => {
  await it.stop();
  rmSync(dir, { recursive: true, force: true });
});

for (const [name, [program, ...args]] of Object.entries(RUNTIMES))
  test.skipIf(lacks(program))(`in ${name}`, { timeout: 60_000 }, async () => {
    const { stdout } = await run(program, [...args, script]);
    expect(JSON.parse(stdout)).toEqual({
      before: 401,
      told: ['row note', 'snapshot ', 'change note, changed'],
      stale: ['v2.precondition_failed', 2],
      many: 25,
      aborted: 'AbortError',
      gone: true,
      isLoggedIn: false,
    });
  });
