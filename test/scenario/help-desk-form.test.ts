/** The form of the template help-desk: from a stranger's question to a ticket, its mails, and what each principal may see and do of it. */
import { describe, expect, test } from 'vitest';
import { as, ask, it as desk, rowsOf, useHelpDesk, type Name, type Row } from '#test/kit/help-desk.ts';

useHelpDesk();

const SOON = { timeout: 30_000 };
const KIM = 'kim@example.org';
const WORDS = 'buy now at https://evil.example';
const everyone: readonly Name[] = ['eve', 'mallory', 'nina', 'gus', 'ann', 'service', 'stranger', 'foreign'];

async function submit(more: object = {}): Promise<string> {
  const body = { email: KIM, subject: 'No picture', text: WORDS, ...more };
  const { status, text, json } = await desk.call('POST', '/f/contact', {}, body);
  expect(status, text).toBe(200);
  return (json as { id: string }).id;
}
const ticketOf = async (submission: string): Promise<Row | undefined> =>
  rowsOf(await ask('gus', 'GET', `rest/ticket?submission=${submission}`))[0];
async function made(submission: string): Promise<Row> {
  await expect.poll(() => ticketOf(submission), SOON).toBeDefined();
  return (await ticketOf(submission))!;
}
const mails = async (): Promise<string> =>
  (await desk.call('GET', '/mails', { Accept: 'application/json' }, undefined, desk.node.listeners['operations'])).text;

test('a question becomes an open ticket in the name of no user, and a mail says so without a word of the question', async () => {
  const id = await submit();
  const ticket = await made(id);
  expect(ticket).toMatchObject({
    subject: 'No picture',
    text: WORDS,
    email: KIM,
    status: 'open',
    priority: 'normal',
    agent: null,
  });
  expect(ticket['requester']).toBe('trigger:contact');
  await expect.poll(mails, SOON).toContain(String(ticket['id']));
  expect(await mails()).toContain(KIM);
  expect(await mails()).not.toContain('evil.example');
});

test('an answer of an agent leaves as a mail, a note does not', async () => {
  const ticket = await made(await submit());
  const id = String(ticket['id']);
  expect((await ask('gus', 'PATCH', `rest/ticket/id/${id}`, { priority: 'high' })).status).toBe(200);
  expect((await ask('gus', 'PATCH', `rest/ticket/id/${id}`, { answer: 'Please plug it in.' })).status).toBe(200);
  await expect.poll(mails, SOON).toContain('Please plug it in.');
});

describe('what each principal sees of it', () => {
  const seen: Readonly<Record<Name, number>> = {
    eve: 404,
    mallory: 404,
    nina: 403,
    gus: 200,
    ann: 200,
    service: 403,
    stranger: 401,
    foreign: 401,
  };
  const read: Readonly<Record<Name, number>> = { ...seen, eve: 403, mallory: 403, gus: 403 };

  test.each(everyone)('%s reads the ticket, and what was submitted, by every route or by none', async (name) => {
    const ticket = await made(await submit());
    const id = String(ticket['id']);
    expect((await ask(name, 'GET', `rest/ticket/id/${id}`)).status).toBe(seen[name]);
    const changed = await ask(name, 'PATCH', `rest/ticket/id/${id}`, { status: 'closed' });
    expect(changed.status).toBe(seen[name]);
    for (const path of ['submissions', 'submissions/export', 'triggers', 'triggers/events'])
      expect([path, (await ask(name, 'GET', `admin/data/${path}`)).status]).toEqual([path, read[name]]);
    for (const [method, path] of [
      ['POST', 'triggers/events/none/retry'],
      ['DELETE', 'triggers/events/none'],
    ] as const) {
      const { status } = await ask(name, method, `admin/data/${path}`);
      expect([path, status]).toEqual([path, read[name] === 200 ? 404 : read[name]]);
    }
    const closing = await ask(name, 'PATCH', 'actions/close_solved', {});
    expect(closing.status).toBe(seen[name] === 404 ? 403 : seen[name]);
  });
});

test('the form gives no rights: what it names beside its fields is refused, and no caller posts as it', async () => {
  const more = { requester: 'someone', priority: 'high', agent: 'me' };
  const refused = await desk.call('POST', '/f/contact', {}, { email: KIM, subject: 'No sound', text: 'a', ...more });
  expect(refused.status).toBe(422);
  for (const name of ['eve', 'nina', 'stranger'] as const) {
    const { status } = await desk.call('POST', '/data/rest/ticket', as(name), {
      subject: 'as it',
      email: KIM,
      submission: 'S1',
    });
    expect(status).toBeGreaterThanOrEqual(401);
  }
});
