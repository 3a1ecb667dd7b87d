/** Tickets with links to tags, of which a user sees the public ones, to each other, to people whom agents alone read, and to vaults that no user reads. */
import { expect } from 'vitest';
import type { Method } from '#actors/protocol/method.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { withPairs } from '#config/definitions/link.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

export const id = { type: 'string' } as const;
export const link = (entity: string, roles?: { read?: readonly string[]; write?: readonly string[] }) => {
  return { entity, where: 'entities/ticket.yaml:1:1', ...(roles !== undefined && { roles }) };
};
const product = productOf(
  withPairs([
    entityOf(
      'ticket',
      { id, title: { type: 'string' } },
      {
        traits: ['soft_delete', 'versioned'],
        links: {
          tags: link('tag'),
          related: link('ticket'),
          watchers: link('person', { read: ['agent'], write: ['agent', 'clerk'] }),
          marks: link('tag', { write: ['agent'] }),
          hues: link('tag', { read: ['agent'] }),
          vaults: link('vault'),
        },
      },
    ),
    entityOf(
      'tag',
      { id, name: { type: 'string' }, public: { type: 'boolean' } },
      {
        index: [['name']],
        traits: ['soft_delete'],
        rowRule: 'row.public || "agent" in principal.roles',
      },
    ),
    entityOf(
      'person',
      { id, name: { type: 'string' }, phone: { type: 'string', mask: 'last4' } },
      { access: { read: 'true', create: 'true' } },
    ),
    entityOf('vault', { id, code: { type: 'string' } }, { access: { create: 'true' } }),
  ]),
);
export const AGENT: Principal = { ...USER, subject: 'a', roles: ['agent'] };
export const CLERK: Principal = { ...USER, subject: 'c', roles: ['clerk'] };
export const INSIDE: Principal = { ...USER, type: 'internal' };
export let tenant: DataTenant;

/** The tenant of the calls from now on. */
export function serve(other: DataTenant): DataTenant {
  return (tenant = other);
}

export const send = (method: Method, path: string, body?: unknown, principal: Principal = USER) =>
  tenant.send(method, `/data/${path}`, body, { principal });
export const read = async (query: string, principal: Principal = USER, entity = 'ticket') => {
  const { status, body } = await send('GET', `rest/${entity}?${query}&orderby=id`, undefined, principal);
  expect([query, status, body.error]).toEqual([query, 200, undefined]);
  return body.data as Record<string, unknown>[];
};
export const idsOf = async (query: string, principal: Principal = USER, entity = 'ticket') =>
  (await read(query, principal, entity)).map((row) => row['id']);
export const refused = async (method: Method, path: string, body?: unknown, principal: Principal = USER) => {
  const answer = await send(method, path, body, principal);
  return [answer.status, answer.body.error, answer.body.details?.fields];
};
export const tagsOf = async (ticket: string, principal: Principal = USER) =>
  (await read(`id=${ticket}&fields=tags`, principal))[0]!['tags'];
export const patch = async (body: object, principal: Principal = USER, ticket = 't1') => {
  const answer = await send('PATCH', `rest/ticket/id/${ticket}`, body, principal);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.headers['ETag'];
};

/** A tenant with three tags, of which `g3` is secret, and tickets that are linked with them. */
export async function begin(): Promise<void> {
  tenant = await DataTenant.open(product);
  const post = async (entity: string, row: object) => {
    const { status, body } = await send('POST', `rest/${entity}`, row, INSIDE);
    expect([status, body.error]).toEqual([201, undefined]);
  };
  for (const [key, name, isPublic] of [
    ['g1', 'red', true],
    ['g2', 'blue', true],
    ['g3', 'secret', false],
  ])
    await post('tag', { id: key, name, public: isPublic });
  await post('person', { id: 'ada', name: 'Ada', phone: '0123456789' });
  await post('vault', { id: 'v1', code: '1234' });
  await post('ticket', { id: 't1', title: 'one', tags: ['g3', 'g1'], watchers: ['ada'], vaults: ['v1'] });
  await post('ticket', { id: 't2', title: 'two', tags: ['g2', 'g1', 'g2'], related: ['t1'] });
  await post('ticket', { id: 't3', title: 'three' });
}
