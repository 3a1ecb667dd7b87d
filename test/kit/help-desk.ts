/** A node that serves the template help-desk, with all kinds of callers: two requesters, an agent, an administrator, and those who may do nothing. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { filesOf } from '#runtime/cli/new-product.ts';
import { OTHER_TENANT, TENANT } from './platform-file.ts';
import { answerOf, positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from './test-node.ts';

export const PASSWORD = 'correct horse battery';

/** The template's own, for the sign-up. */
const MAIL = `identity:
  mail:
    mailbox: true
    from: Help desk <no-reply@example.org>
    links:
      sign_up: http://localhost/welcome?token={token}
      invitation: http://localhost/join?token={token}
      email_change: http://localhost/address?token={token}
      reset: http://localhost/reset?token={token}
      magic_link: http://localhost/enter?token={token}
`;

/** `foreign` is an agent of another tenant of the product, at this one's position. */
export type Name = 'eve' | 'mallory' | 'nina' | 'gus' | 'ann' | 'service' | 'stranger' | 'foreign';
/** People that one test adds: a requester of Eve's organisation, a person with the role of the form, an administrator of another tenant, a key. */
export type Added = 'olga' | 'clerk' | 'boss' | 'key';
export type Row = Readonly<Record<string, unknown>>;

/** There from the first test on. */
export let it: TestNode;
const product = mkdtempSync(join(tmpdir(), 'skep-desk-'));
const headers = new Map<Name | Added, Headers>();
const ids = new Map<string, string>();
/** Ids: Eve's ticket, its file, and its comments: one for her, a note among agents, one that was hidden. */
export let eves = { ticket: '', open: '', internal: '', hidden: '', file: '' };
export let mallorys = { ticket: '', comment: '' };

export const as = (name: Name | Added): Headers => headers.get(name)!;
export const me = (name: Name | Added): string => ids.get(name)!;
export const ask = (name: Name | Added, method: string, path: string, body?: unknown): Promise<Answer> =>
  it.call(method, `/data/${path}`, as(name), body);
export const rowsOf = ({ json }: Answer): readonly Row[] => (json as { data: readonly Row[] }).data;
export const codeOf = ({ status, json }: Answer): readonly [number, string | undefined] => [
  status,
  (json as { code?: string } | undefined)?.code,
];
export const graphql = async (
  name: Name,
  query: string,
): Promise<{ data: never; errors?: readonly { message: string }[] }> =>
  (await ask(name, 'POST', 'graphql', { query })).json;

/** The id of a new row. */
export async function made(name: Name | Added, entity: string, row: Row): Promise<string> {
  const answer = await ask(name, 'POST', `rest/${entity}`, row);
  expect(answer.status, answer.text).toBe(201);
  return rowsOf(answer)[0]!['id'] as string;
}

export async function upload(
  name: Name | Added,
  parts: Readonly<Record<string, string>>,
  bytes = 'a log of it',
): Promise<Answer> {
  const form = new FormData();
  for (const [key, value] of Object.entries(parts)) form.set(key, value);
  form.set('file', new Blob([bytes], { type: 'text/plain' }), 'log.txt');
  return answerOf(await fetch(`${it.gateway}/data/rest/attachment`, { method: 'POST', headers: as(name), body: form }));
}

/** A user of the tenant, or of another one at this one's position, who is logged in. */
export async function person(name: Name | Added, roles: readonly string[], tenant = TENANT): Promise<void> {
  const login = `${name}@example.org`;
  await it.node.ask(tenant, 'identity', 'person.ensure', { email: login, password: PASSWORD, roles });
  const here = positionHeaders(tenant);
  const { status, text, json } = await it.call('POST', '/auth/login', here, { login, password: PASSWORD });
  expect(status, text).toBe(200);
  const { access_token } = json as { access_token: string };
  const bearer = { ...here, Authorization: `Bearer ${access_token}` };
  ids.set(name, ((await it.call('GET', '/auth/me', bearer)).json as { id: string }).id);
  headers.set(name, { ...bearer, ...positionHeaders(TENANT) });
}

/** A caller by other means than a login. */
export function caller(name: Added, credential: Headers): void {
  headers.set(name, { ...positionHeaders(TENANT), ...credential });
}

interface DeskWish {
  /** The text of a file of the template, as this node has it. */
  readonly text: (path: string, text: string) => string;
  /** More lines of the platform file, `vault` among them. */
  readonly extra: string;
}

const AS_IT_IS: DeskWish = { text: (_path, text) => text, extra: 'vault: { profile: development }' };

/** Starts the node with its people before the first test of the calling file, and stops it after the last. `wish`: asked before the node starts. */
export function useHelpDesk(wish: () => Promise<DeskWish> = async () => AS_IT_IS): void {
  beforeAll(async () => {
    const { extra, text: textOf } = await wish();
    for (const { path, text } of await filesOf('help-desk', 'shop')) {
      mkdirSync(join(product, dirname(path)), { recursive: true });
      writeFileSync(join(product, path), textOf(path, text));
    }
    it = await startTestNode({
      localdir: join(product, 'product'),
      forms: `{ dir: ${join(product, 'forms')} }`,
      extra: `jobs: { threads: 2 }\naudit: { enabled: true }\n${extra}\n${MAIL}`,
    });
    await person('eve', ['requester']);
    await person('mallory', ['requester']);
    await person('nina', []);
    await person('gus', ['agent']);
    await person('ann', ['tenant_admin']);
    await person('foreign', ['agent'], OTHER_TENANT);
    headers.set('service', await it.service());
    headers.set('stranger', positionHeaders(TENANT));
    const organisation = await made('gus', 'organisation', { name: 'Acme' });
    const ticket = await made('eve', 'ticket', { subject: 'No sound', text: 'at all' });
    await ask('gus', 'PATCH', `rest/ticket/id/${ticket}`, { organisation_id: organisation, agent: me('gus') });
    const hidden = await made('gus', 'comment', { ticket_id: ticket, text: 'said in haste' });
    expect((await ask('gus', 'PATCH', `rest/comment/id/${hidden}`, { state: 'hidden' })).status).toBe(200);
    const file = await upload('eve', { ticket_id: ticket });
    expect(file.status, file.text).toBe(201);
    eves = {
      ticket,
      open: await made('gus', 'comment', { ticket_id: ticket, text: 'off and on again' }),
      internal: await made('gus', 'comment', { ticket_id: ticket, text: 'the old model', internal: true }),
      hidden,
      file: rowsOf(file)[0]!['id'] as string,
    };
    const own = await made('mallory', 'ticket', { subject: 'No picture', requester: me('mallory') });
    const said = { ticket_id: own, text: 'hello?' };
    mallorys = { ticket: own, comment: await made('mallory', 'comment', said) };
  }, 60_000);
  afterAll(async () => {
    await it.stop();
    rmSync(product, { recursive: true });
  });
}
