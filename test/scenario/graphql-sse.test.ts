/** Subscriptions of GraphQL with the stock client graphql-sse against a real node. docs/contract/changes.md §10 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client, type ExecutionResult } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };
const QUERY = `subscription ($after: Integer, $snapshot: Boolean) {
  note_changes(after: $after, snapshot: $snapshot) { seq op id row { title } }
}`;

interface Told {
  readonly note_changes: { readonly seq: number; readonly op: string; readonly row: { readonly title: string } | null };
}

describe.each(['uws', 'node'] as const)('at the door %s', (door) => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-graphql-sse-'));
  let node: TestNode;
  let service: Headers;
  const clients: Client[] = [];

  beforeAll(async () => {
    process.env['SKEP_DOOR'] = door;
    node = await startTestNode({ localdir: writeNoteProduct(dir) });
    delete process.env['SKEP_DOOR'];
    service = await node.service();
  }, 60_000);
  afterEach(() => {
    for (const client of clients.splice(0)) client.dispose();
  });
  afterAll(async () => {
    await node.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const create = async (title: string): Promise<void> => {
    const { status, text } = await node.call('POST', '/data/rest/note', service, { title, open: true });
    expect(status, text).toBe(201);
  };
  function follow(headers: Headers, variables: { after?: number; snapshot?: boolean } = {}) {
    const client = createClient({ url: `${node.gateway}/data/graphql`, headers, retryAttempts: 0 });
    clients.push(client);
    const results: ExecutionResult<Told>[] = [];
    let end: unknown = null;
    const leave = client.subscribe<Told>(
      { query: QUERY, variables: { ...variables } },
      {
        next: (result) => void results.push(result as ExecutionResult<Told>),
        error: (error) => void (end = error),
        complete: () => void (end = 'complete'),
      },
    );
    return {
      leave,
      results,
      end: () => end,
      told: () => results.map(({ data }) => `${data?.note_changes.op} ${data?.note_changes.row?.title ?? ''}`),
      last: () => results.findLast(({ data }) => data?.note_changes.seq != null)!.data!.note_changes.seq,
    };
  }

  test('a change is told, and a position goes on where it broke off', async () => {
    const first = follow(service);
    await expect.poll(first.told, SOON).toEqual(['idle ']);
    await create('one');
    await expect.poll(first.told, SOON).toEqual(['idle ', 'create one']);
    first.leave();
    await create('two');
    await create('three');
    const second = follow(service, { after: first.last() });
    await expect.poll(() => second.told().slice(1), SOON).toEqual(['create two', 'create three']);
    const whole = follow(service, { snapshot: true });
    await expect
      .poll(() => whole.told().toSorted((a, b) => a.localeCompare(b)), SOON)
      .toEqual(['row one', 'row three', 'row two', 'snapshot ']);
  });

  test('a session that ends completes it with an error; queries are answered too', async () => {
    const email = 'ann@example.org';
    await node.node.ask(TENANT, 'identity', 'person.ensure', { email, password: PASSWORD, roles: ['tenant_user'] });
    const here = positionHeaders(TENANT);
    const { json } = await node.call('POST', '/auth/login', here, { login: email, password: PASSWORD });
    const ann = { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    const one = follow(ann);
    await expect.poll(one.told, SOON).toEqual(['idle ']);
    expect((await node.call('POST', '/auth/logout', ann)).status).toBeLessThan(300);
    await expect.poll(one.end, SOON).toBe('complete');
    expect(one.results.at(-1)!.errors![0]!.extensions).toMatchObject({ code: 'unauthorized' });
    const client = createClient({ url: `${node.gateway}/data/graphql`, headers: service });
    clients.push(client);
    const answers = client.iterate({ query: '{ note(filter: {title: {eq: "one"}}) { nodes { title } } }' });
    expect((await answers.next()).value).toEqual({ data: { note: { nodes: [{ title: 'one' }] } } });
    expect((await answers.next()).done).toBe(true);
  });
});
