/** docs/contract/data.md §5.14 and §6.9: what links never tell, asked by callers who may not see the other side. */
import { beforeEach, describe, expect, test } from 'vitest';
import { withPairs } from '#config/definitions/link.ts';
import { AGENT, begin, CLERK, id, idsOf, INSIDE, link, patch, read, refused, send, serve, tagsOf } from './kit.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

beforeEach(begin);

describe('writes over hidden rows', () => {
  test('links to rows that the caller does not see stay, and no version tells of them', async () => {
    expect(await patch({ tags: ['g1'] })).toBe('"1"');
    expect(await tagsOf('t1', AGENT)).toEqual(['g1', 'g3']);
    expect(await patch({ tags: { remove: ['g3'] } })).toBe('"1"');
    expect(await patch({ tags: [] })).toBe('"2"');
    expect(await tagsOf('t1', AGENT)).toEqual(['g3']);
    expect(await patch({ tags: { add: ['g3'] } }, AGENT, 't3')).toBe('"2"');
    expect(await patch({ tags: { add: ['g3'] } }, AGENT, 't3')).toBe('"2"');
  });

  test('a hidden row, an absent one and one in the bin are one answer to who would link them, linked already or not', async () => {
    await send('DELETE', 'rest/tag/id/g2', undefined, INSIDE);
    const answers = [];
    for (const tag of ['g3', 'absent', 'g2'])
      for (const [method, path, body] of [
        ['PATCH', 'rest/ticket/id/t1', { tags: { add: [tag] } }],
        ['PATCH', 'rest/ticket/id/t1', { tags: ['g1', tag] }],
        ['PATCH', 'rest/ticket/id/t3', { tags: [tag] }],
        ['POST', 'rest/ticket', { id: 't4', tags: [tag] }],
        ['POST', 'rest/ticket', [{ id: 't4', tags: [tag] }]],
        ['POST', 'rest/ticket?[on]=id', { id: 't3', tags: [tag] }],
        ['POST', 'rest/ticket?[on]=id', { id: 't4', tags: [tag] }],
        ['POST', 'rest', { operations: [{ action: 'upsert', data: { ticket: { id: 't4', tags: [tag] } } }] }],
      ] as const) {
        const { status, body: answer } = await send(method, path, body);
        expect([path, status, answer.error]).toEqual([path, 422, expect.stringContaining('refers to no row of tag')]);
        answers.push([status, answer]);
      }
    expect(answers.slice(0, 8)).toEqual(answers.slice(8, 16));
    expect(answers.slice(0, 8)).toEqual(answers.slice(16));
    expect(await tagsOf('t1', AGENT)).toEqual(['g1', 'g3']);
    expect((await refused('POST', 'rest/ticket', { id: 't4', vaults: ['v1'] }))[1]).toBe(
      'vaults refers to no row of vault',
    );
  });

  test('a caller links the rows that it sees, its own new row among them, and keeps those in the bin', async () => {
    await send('POST', 'rest/ticket', { id: 't4', tags: ['g1'], related: ['t4', 't1'] });
    expect((await read('id=t4&fields=tags,related'))[0]).toEqual({ tags: ['g1'], related: ['t1', 't4'] });
    await send('DELETE', 'rest/tag/id/g1', undefined, INSIDE);
    expect(await patch({ tags: ['g1', 'g2'] }, USER, 't4')).toBe('"2"');
    await send('POST', 'rest/tag/id/g1/restore', undefined, INSIDE);
    expect(await tagsOf('t4')).toEqual(['g1', 'g2']);
  });
});

describe('roles of a link', () => {
  test('a caller that may not read it does not know it, on either side', async () => {
    for (const [entity, name] of [
      ['ticket', 'watchers'],
      ['person', 'ticket_by_watchers'],
    ]) {
      const unknown = (text: string) => text.replaceAll(name!, 'nothing').replace(/: (only|it has).*/, '');
      for (const query of [
        'fields=id,NAME',
        'include=NAME',
        '[NAME][some]={}',
        '[NAME.id]=x',
        '[NAME][none]={"id":"x"}',
      ]) {
        const path = (of: string) => `rest/${entity}?${query.replace('NAME', of)}`;
        const [status, error] = await refused('GET', path(name!));
        const [, other] = await refused('GET', path('nothing'));
        expect([query, status, unknown(error)]).toEqual([query, 422, unknown(other)]);
        expect(error).not.toContain(`only ${name}`);
      }
      expect((await refused('GET', `rest/${entity}?include=nothing`))[1]).not.toContain(name);
      const write = (of: string) => ({ [of]: ['ada'] });
      const [first] = await read('fields=id', INSIDE, entity);
      const known = await refused('PATCH', `rest/${entity}/id/${String(first!['id'])}`, write(name!));
      const stranger = await refused('PATCH', `rest/${entity}/id/${String(first!['id'])}`, write('nothing'));
      expect(unknown(String(known[1]))).toBe(stranger[1]);
    }
    expect((await read('fields=watchers&id=t1', AGENT))[0]).toEqual({ watchers: ['ada'] });
    expect(await idsOf('[watchers.name]=Ada', AGENT)).toEqual(['t1']);
  });

  test('a caller that writes and does not read changes it blindly: each write counts as a change', async () => {
    await send('PATCH', 'rest/ticket/id/t1', { hues: ['g1'] }, INSIDE);
    expect(await patch({ watchers: { add: ['ada'] } }, CLERK)).toBe('"3"');
    expect(await patch({ watchers: [] }, CLERK)).toBe('"4"');
    expect((await read('fields=watchers&id=t1', AGENT))[0]).toEqual({ watchers: [] });
    await send('DELETE', 'rest/tag/id/g1', undefined, INSIDE);
    const [linked, free] = [
      await refused('PATCH', 'rest/ticket/id/t1', { hues: ['g1'] }, CLERK),
      await refused('PATCH', 'rest/ticket/id/t2', { hues: ['g1'] }, CLERK),
    ];
    expect([linked[0], linked]).toEqual([422, free]);
  });

  test('a caller that reads and does not write is told', async () => {
    expect((await refused('PATCH', 'rest/ticket/id/t1', { marks: [] })).slice(0, 2)).toEqual([
      422,
      'marks is not written by this caller',
    ]);
    await patch({ marks: ['g1'] }, AGENT);
    expect((await read('fields=marks&id=t1'))[0]).toEqual({ marks: ['g1'] });
  });

  test('rows of an entity that the caller may not read are shown by no link', async () => {
    expect((await refused('GET', 'rest/ticket?fields=vaults'))[0]).toBe(403);
    expect((await refused('GET', 'rest/ticket?include=vaults'))[0]).toBe(403);
    expect((await refused('GET', 'rest/ticket?[vaults.code]=1234'))[0]).toBe(422);
    expect((await refused('GET', 'rest/ticket?[vaults][some]={}'))[0]).toBe(422);
    expect(
      (await refused('GET', 'rest/ticket?include=tags&[tags][filter]={"[ticket_by_tags.vaults.code]":"1"}'))[0],
    ).toBe(422);
  });

  test('the ids of rows whose key is masked are masked', async () => {
    const masked = { id: { type: 'string', mask: 'last4' } } as const;
    const own = entityOf('ticket', { id }, { links: { cards: link('card') } });
    const other = serve(await DataTenant.open(productOf(withPairs([own, entityOf('card', masked)]))));
    await other.send('POST', '/data/rest/card', { id: '1234567890' });
    await other.send('POST', '/data/rest/ticket', { id: 't1', cards: ['1234567890'] });
    const [row] = await read('fields=cards');
    expect(row).toEqual({ cards: [expect.stringMatching(/^\*+7890$/)] });
    expect((await read('include=cards'))[0]!['cards']).toEqual([{ id: (row!['cards'] as string[])[0] }]);
  });

  test('a masked field of the other side is no condition', async () => {
    expect((await refused('GET', 'rest/ticket?[watchers.phone]=0123456789', undefined, AGENT))[0]).toBe(422);
  });
});
