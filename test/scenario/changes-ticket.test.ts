/** Tickets of the change feed at a real node, and in Debian's Chromium with its EventSource. docs/contract/changes.md §9 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { openEvents } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };

describe.each(['uws', 'node'] as const)('at the door %s', (door) => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-ticket-'));
  let node: TestNode;
  let service: Headers;
  let site: Site | null = null;
  beforeAll(async () => {
    site = hasChromium && door === 'uws' ? await Site.open() : null;
    const cors = site === null ? {} : { cors: `{ shop: { origins: ["${site.origin('127.0.0.1')}"] } }` };
    process.env['SKEP_DOOR'] = door;
    node = await startTestNode({ localdir: writeNoteProduct(dir), ...cors });
    delete process.env['SKEP_DOOR'];
    service = await node.service();
  }, 60_000);
  afterAll(async () => {
    await node.stop();
    await site?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function login(name: string): Promise<Headers> {
    const email = `${name}@example.org`;
    const person = { email, password: PASSWORD, roles: ['tenant_user'] };
    await node.node.ask(TENANT, 'identity', 'person.ensure', person);
    const here = positionHeaders(TENANT);
    const { json } = await node.call('POST', '/auth/login', here, { login: email, password: PASSWORD });
    return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
  }
  const ticketOf = async (headers: Headers, query = 'entity=note&open=true'): Promise<string> => {
    const answer = await node.call('POST', `/data/changes/ticket?${query}`, headers);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"expires_in":30')]);
    return (answer.json as { ticket: string }).ticket;
  };
  const create = (title: string) => node.call('POST', '/data/rest/note', service, { title, open: true });
  const at = (query: string) => `${node.gateway}/data/changes?${query}`;
  const openedBy = (ticket: string, position = TENANT) =>
    openEvents(at(new URLSearchParams({ position, ticket }).toString()), {});

  test('position and credential of a stream without headers; once, at no other tenant', async () => {
    const ann = await login('ann');
    const stream = await openedBy(await ticketOf(ann));
    expect(stream.status).toBe(200);
    await create('told');
    await expect.poll(() => stream.events.at(-1)?.data.row?.title, SOON).toBe('told');
    stream.leave();
    const spent = await ticketOf(ann);
    expect((await openedBy(spent, OTHER_TENANT)).status).toBe(401);
    const head = at(new URLSearchParams({ position: TENANT, ticket: await ticketOf(ann) }).toString());
    const accepts = { headers: { Accept: 'text/event-stream' } };
    expect((await fetch(head, { method: 'HEAD', ...accepts })).status).toBe(401);
    expect((await fetch(head, accepts)).status).toBe(401);
    const twice = await ticketOf(ann);
    const both = await Promise.all([openedBy(twice), openedBy(twice)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    for (const one of both) one.leave();
    // A position counts in the query beside a ticket alone.
    for (const query of ['ticket=x', 'position=a&ticket=x', `position=${TENANT}`, `position=${TENANT}&entity=note`])
      expect([query, (await openEvents(at(query), {})).status]).toEqual([query, 400]);
  });

  test('after a logout it is none; a stream that it opened ends with the session', async () => {
    const bob = await login('bob');
    const [first, second] = [await ticketOf(bob), await ticketOf(bob)];
    const stream = await openedBy(first);
    expect((await node.call('POST', '/auth/logout', bob)).status).toBeLessThan(300);
    expect((await openedBy(second)).status).toBe(401);
    await expect.poll(stream.isOver, SOON).toBe(true);
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'session' } });
  });

  test('it is nowhere on the disk of the node', async () => {
    const ticket = await ticketOf(service);
    (await openedBy(ticket)).leave();
    const files = readdirSync(node.dir, { recursive: true, encoding: 'utf8' }).map((name) => join(node.dir, name));
    const plain = files.filter((file) => statSync(file).isFile());
    expect(plain.length).toBeGreaterThan(3);
    for (const file of plain) expect([file, readFileSync(file).includes(ticket)]).toEqual([file, false]);
  });

  test.skipIf(!hasChromium || door !== 'uws')('an EventSource is told, and stops when it comes back', async () => {
    const ann = await login('ann');
    const ticket = await ticketOf(ann, 'entity=note&snapshot=true&open=true');
    const url = at(new URLSearchParams({ position: TENANT, ticket }).toString());
    const script = `
      const told = [];
      let opened = 0;
      const source = new EventSource(${JSON.stringify(url)});
      source.onopen = () => opened++;
      const closed = new Promise((resolve) => {
        source.onerror = () => { if (source.readyState === EventSource.CLOSED) resolve(); };
      });
      const ready = new Promise((resolve) => source.addEventListener('snapshot', resolve));
      source.addEventListener('change', ({ data }) => told.push(JSON.parse(data).row.title));
      source.addEventListener('end', ({ data }) => told.push(JSON.parse(data).reason));
      await ready;
      await fetch(${JSON.stringify(`${node.gateway}/data/rest/note`)}, {
        method: 'POST',
        headers: ${JSON.stringify({ ...service, 'Content-Type': 'application/json' })},
        body: JSON.stringify({ title: 'to a page', open: true }),
      });
      while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await fetch(${JSON.stringify(`${node.gateway}/auth/logout`)}, { method: 'POST', headers: ${JSON.stringify(ann)} });
      await closed;
      return { told, opened, state: source.readyState };`;
    const found = await site!.run(site!.origin('127.0.0.1'), script);
    expect(found).toEqual({ told: ['to a page', 'session'], opened: 1, state: 2 });
  });
});
