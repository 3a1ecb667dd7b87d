/** What lies in the help desk of the sweep, each text in it the only one of its kind, and which callers may see which. */
import { expect, vi } from 'vitest';
import { as, ask, caller, it, made, me, person, rowsOf, upload, type Added, type Name } from '#test/kit/help-desk.ts';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';

export type Caller = Name | Added;

/** Ids of what is attacked: all of it belongs to Eve, whose organisation is Acme, to agents, or to Kim, who used the form. */
export interface Targets {
  readonly ticket: string;
  readonly comment: string;
  readonly note: string;
  readonly attachment: string;
  readonly organisation: string;
  /** The ticket that Kim's submission became, and the submission. */
  readonly asked: string;
  readonly submission: string;
  readonly draft: string;
}

/** Texts that an answer betrays, by who may see them. The form's `name` goes into no ticket: administrators alone read it. */
const EVES = ['EVE-SUBJECT', 'EVE-TEXT', 'EVE-SAID', 'EVE-FILE'];
const OLGAS = ['OLGA-SUBJECT', 'OLGA-TEXT'];
const MALLORYS = ['MALLORY-SUBJECT', 'MALLORY-TEXT'];
const AGENTS = ['GUS-NOTE', 'GUS-HIDDEN', 'ACME-NAME', 'ACME-PHONE', 'EVIL-NAME', 'KIM-SUBJECT', 'KIM-TEXT'];
const MORE_OF_AGENTS = ['kim-address@example.org', 'GUS-ANSWER'];
const ADMINISTRATORS = ['KIM-NAME'];
/** An article that is no more than a draft: the app of the template delivers what is published, and previews nothing. */
const UNSEEN = ['DRAFT-TEXT'];
export const SECRETS = [...EVES, ...OLGAS, ...MALLORYS, ...AGENTS, ...MORE_OF_AGENTS, ...ADMINISTRATORS, ...UNSEEN];

const OF_ADMINISTRATORS = SECRETS.filter((text) => !UNSEEN.includes(text));
const OF_AGENTS = OF_ADMINISTRATORS.filter((text) => !ADMINISTRATORS.includes(text));

/** What each caller may see of it. */
export const SEEN: Readonly<Record<Caller, readonly string[]>> = {
  stranger: [],
  nina: [],
  service: [],
  key: [],
  foreign: [],
  boss: [],
  clerk: [],
  eve: EVES,
  olga: OLGAS,
  mallory: MALLORYS,
  gus: OF_AGENTS,
  ann: OF_ADMINISTRATORS,
};

/** Callers who may do nothing with rows, in whatever way they ask. */
export const OUTSIDERS: readonly Caller[] = ['stranger', 'nina', 'service', 'key', 'foreign', 'boss', 'clerk'];
/** Requesters: of the same organisation as Eve, and of another one. */
export const OTHERS: readonly Caller[] = ['olga', 'mallory'];

/** Fills the tenant, also from the form, and lets the remaining callers in. */
export async function fillDesk(): Promise<Targets> {
  await person('olga', ['requester']);
  await person('clerk', ['contact']);
  await person('boss', ['tenant_admin'], OTHER_TENANT);
  caller('key', { Authorization: `ApiKey ${it.apiKey}` });
  const organisation = await made('gus', 'organisation', { name: 'ACME-NAME', phone: 'ACME-PHONE' });
  const evil = await made('gus', 'organisation', { name: 'EVIL-NAME' });
  const ticketOf = async (name: Caller, of: string, mark: string): Promise<string> => {
    const id = await made(name, 'ticket', { subject: `${mark}-SUBJECT`, text: `${mark}-TEXT` });
    const { status } = await ask('gus', 'PATCH', `rest/ticket/id/${id}`, { organisation_id: of, agent: me('gus') });
    expect(status).toBe(200);
    return id;
  };
  const ticket = await ticketOf('eve', organisation, 'EVE');
  await ticketOf('olga', organisation, 'OLGA');
  await ticketOf('mallory', evil, 'MALLORY');
  const said = (name: Caller, text: string, more: object = {}): Promise<string> =>
    made(name, 'comment', { ticket_id: ticket, text, ...more });
  const comment = await said('eve', 'EVE-SAID');
  const note = await said('gus', 'GUS-NOTE', { internal: true });
  const hidden = await said('gus', 'GUS-HIDDEN');
  expect((await ask('gus', 'PATCH', `rest/comment/id/${hidden}`, { state: 'hidden' })).status).toBe(200);
  const file = rowsOf(await upload('eve', { ticket_id: ticket }, 'EVE-FILE'))[0]!;
  const draft = await draftOf();
  const asked = await askByForm();
  return { ticket, comment, note, attachment: String(file['id']), organisation, draft, ...asked };
}

async function draftOf(): Promise<string> {
  const { status, json } = await it.call('POST', '/content/help/article', as('gus'), {
    title: 'a draft',
    text: 'DRAFT-TEXT',
  });
  expect(status).toBe(201);
  return (json as { document_id: string }).document_id;
}

async function askByForm(): Promise<Pick<Targets, 'asked' | 'submission'>> {
  const fields = { name: 'KIM-NAME', email: 'kim-address@example.org', subject: 'KIM-SUBJECT', text: 'KIM-TEXT' };
  const { status, text, json } = await it.call('POST', '/f/contact', {}, fields);
  expect(status, text).toBe(200);
  const submission = (json as { id: string }).id;
  const found = async (): Promise<string> =>
    String(rowsOf(await ask('gus', 'GET', `rest/ticket?submission=${submission}`))[0]!['id']);
  const asked = await vi.waitFor(found, { timeout: 30_000 });
  expect((await ask('gus', 'PATCH', `rest/ticket/id/${asked}`, { answer: 'GUS-ANSWER' })).status).toBe(200);
  return { asked, submission };
}
