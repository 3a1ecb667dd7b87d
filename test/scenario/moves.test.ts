/** Scripts of stateflows over HTTP to a real node: docs/contract/data-behaviour.md §1.1 (`actions`, `entry`, `exit`), each write path in turn. */
import { describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import type { Answer } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'moves', extra: 'jobs: { threads: 2 }' });

type Row = Readonly<Record<string, unknown>> & { readonly id: string };
const { ask } = on;
const rowsOf = (answer: Answer): Row[] => (answer.json as { data: Row[] }).data;
const codeOf = (answer: Answer): unknown => [answer.status, (answer.json as { code?: string }).code];
const close = (id: string): Promise<Answer> => ask('PATCH', `rest/ticket/id/${id}`, { status: 'closed' });
const notesOf = async (ticket: string): Promise<unknown[]> =>
  rowsOf(await ask('GET', `rest/note?ticket=${ticket}`)).map(({ text }) => text);

async function ticket(fields: object = {}): Promise<Row> {
  const made = await ask('POST', 'rest/ticket', fields);
  expect(made.status, made.text).toBe(201);
  return rowsOf(made)[0]!;
}
const stored = async (id: string): Promise<Row> => rowsOf(await ask('GET', `rest/ticket/id/${id}`))[0]!;

describe('what scripts of a move do', () => {
  test('entry of the initial state runs in the create, exit, actions and entry in the update, in this order', async () => {
    const made = await ticket();
    expect(made).toMatchObject({ status: 'open', trail: ['enter open'] });
    const closed = await close(made.id);
    const trail = ['enter open', 'leave open', 'close from open to closed by service', 'enter closed'];
    expect([closed.status, rowsOf(closed)[0]]).toEqual([
      200,
      { ...made, status: 'closed', closed_by: 'script', trail, version: 2 },
    ]);
    expect(await stored(made.id)).toEqual(rowsOf(closed)[0]);
  });

  test('a guard is asked before the scripts change what it looks at', async () => {
    const { id } = await ticket({ closed_by: 'somebody' });
    expect(codeOf(await close(id))).toEqual([422, 'v2.update_failed']);
    expect(await stored(id)).toMatchObject({ status: 'open', trail: ['enter open'], version: 1 });
  });

  test('rows that it creates are there with the write, and may be referred to', async () => {
    const { id } = await ticket({ mode: 'note' });
    const closed = rowsOf(await close(id))[0]!;
    const note = rowsOf(await ask('GET', `rest/note/id/${String(closed['note_id'])}`));
    expect(note).toMatchObject([{ text: 'closed', ticket: id }]);
    const many = await ticket({ mode: 'notes' });
    expect((await close(many.id)).status).toBe(200);
    expect(await notesOf(many.id)).toEqual(['n0', 'n1', 'n2']);
  });

  test('it sees the row as it is and as it would be; what a rule denies the caller it denies the caller’s script', async () => {
    const seen = await ticket({ mode: 'before' });
    expect(rowsOf(await close(seen.id))[0]).toMatchObject({ title: 'open open' });
    const caught = await ticket({ mode: 'caught' });
    expect(rowsOf(await close(caught.id))[0]!['trail']).toContain(403);
  });

  test.each([
    ['throws', 'throw', 'Error: no'],
    ['throws after it wrote', 'half', 'after a note'],
    ['is denied what it does', 'denied', 'create on note is not allowed'],
    ['never ends', 'loop', 'longer than it may'],
    ['never settles', 'settle', 'never settled'],
    ['sets the state', 'state', 'may not set status'],
    ['sets the key', 'id', 'may not set id'],
    ['writes the row itself', 'self', 'it may change `row` only'],
    ['leaves a value that is too long', 'long', 'title must have at most 40 characters'],
    ['leaves a value of another type', 'type', 'title must be a string'],
    ['leaves a reference to nothing', 'ref', 'note_id refers to no row of note'],
    ['sets what is no field', 'unknown', 'stain is not a field'],
  ])('422 and nothing is written when a script %s', async (_what, mode, message) => {
    const { id } = await ticket({ mode });
    const answer = await close(id);
    expect(codeOf(answer)).toEqual([422, 'v2.update_failed']);
    expect((answer.json as { error: string }).error).toContain(message);
    expect(await stored(id)).toMatchObject({ status: 'open', closed_by: null, version: 1 });
    expect(await notesOf(id)).toEqual([]);
  });

  test('403 when it makes a row that the caller may not have; 422 for a unique value that is taken', async () => {
    const { id } = await ticket({ mode: 'hide' });
    expect(codeOf(await close(id))).toEqual([403, 'v2.update_failed']);
    await ticket({ code: 'taken' });
    const other = await ticket({ mode: 'same code' });
    expect(codeOf(await close(other.id))).toEqual([422, 'v2.update_failed']);
    expect(await stored(other.id)).toMatchObject({ status: 'open', code: null });
  });

  test('has_actions shows, bodies and entry and exit never', async () => {
    const { json, text } = await ask('GET', 'stateflow/life');
    expect(json).toMatchObject({ states: { open: { events: { close: { has_actions: true, has_guard: true } } } } });
    expect(text).not.toMatch(/entry|exit|trail/);
  });
});

describe('every write path', () => {
  test('create: a failing entry refuses it', async () => {
    const refused = await ask('POST', 'rest/ticket', { mode: 'refuse entry', title: 'never' });
    expect(codeOf(refused)).toEqual([422, 'v2.create_failed']);
    expect(rowsOf(await ask('GET', 'rest/ticket?title=never'))).toEqual([]);
  });

  test('the operations envelope: all or nothing', async () => {
    const [a, b] = [await ticket({ mode: 'note' }), await ticket({ mode: 'half' })];
    const both = (ids: readonly string[]) => ({
      operations: ids.map((id) => ({ action: 'update', data: { ticket: { id, status: 'closed' } } })),
    });
    const refused = await ask('POST', 'rest', both([a.id, b.id]));
    expect(codeOf(refused)).toEqual([422, 'v2.bulk_failed']);
    expect(await stored(a.id)).toMatchObject({ status: 'open' });
    expect(await notesOf(a.id)).toEqual([]);
    const c = await ticket({ mode: 'notes' });
    expect((await ask('POST', 'rest', both([a.id, c.id]))).status).toBe(200);
    expect([await notesOf(a.id), await notesOf(c.id)]).toEqual([['closed'], ['n0', 'n1', 'n2']]);
  });

  test('multipart', async () => {
    const body = '--b\r\nContent-Disposition: form-data; name="mode"\r\n\r\nm\r\n--b--\r\n';
    const headers = { ...on.bearer, 'Content-Type': 'multipart/form-data; boundary=b' };
    const made = await ask('POST', 'rest/ticket', body, headers);
    expect(made.status, made.text).toBe(201);
    expect(rowsOf(made)[0]).toMatchObject({ mode: 'm', status: 'open', trail: ['enter open'] });
  });

  test('GraphQL', async () => {
    const { id } = await ticket({ mode: 'note' });
    const query = `mutation { update_ticket(id: "${id}", data: { status: "closed" }) { status closed_by } }`;
    const answer = await ask('POST', 'graphql', { query });
    expect(answer.json).toEqual({ data: { update_ticket: { status: 'closed', closed_by: 'script' } } });
    expect(await notesOf(id)).toEqual(['closed']);
    const half = await ticket({ mode: 'half' });
    const refused = await ask('POST', 'graphql', { query: query.replace(id, half.id) });
    expect(refused.text).toContain('after a note');
    expect(await stored(half.id)).toMatchObject({ status: 'open' });
  });

  test('an import cannot wait for scripts and says so', async () => {
    const report = await ask('POST', 'bulk?entity=ticket', [{ title: 'bulk' }]);
    expect(report.json).toMatchObject({ imported: 0, errors: [{ code: 'v2.create_failed' }] });
    expect(report.text).toContain('for which this kind of write cannot wait');
  });

  test('If-Match, the states block, an expression and an Idempotency-Key as without scripts', async () => {
    const { id } = await ticket({ mode: 'notes' });
    const path = `rest/ticket/id/${id}?states=true&expression=.states`;
    const stale = await ask('PATCH', path, { status: 'closed' }, { ...on.bearer, 'If-Match': '"7"' });
    expect(stale.status).toBe(412);
    expect(await notesOf(id)).toEqual([]);
    const keyed = { ...on.bearer, 'Idempotency-Key': `key-${id}`, 'If-Match': '"1"' };
    const answers = [
      await ask('PATCH', path, { status: 'closed' }, keyed),
      await ask('PATCH', path, { status: 'closed' }, keyed),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]!.json).toMatchObject([{ life: { current: 'closed', events: ['reopen'] } }]);
    expect(answers[1]!.json).toEqual(answers[0]!.json);
    expect(await notesOf(id)).toHaveLength(3);
  });

  test('twelve requests to close the same ticket at once: one does, the others meet a closed one', async () => {
    const { id } = await ticket({ mode: 'note' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => close(id)));
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(await stored(id)).toMatchObject({ status: 'closed', version: 2 });
    expect(await notesOf(id)).toEqual(['closed']);
  });
});

describe('scripts that cause scripts', () => {
  async function chain(length: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < length; i++) {
      const made = await ask('POST', 'rest/link', { next: ids[0] ?? null });
      ids.unshift(rowsOf(made)[0]!.id);
    }
    return ids;
  }
  const tight = async (ids: readonly string[]): Promise<number> => {
    const states = await Promise.all(ids.map(async (id) => rowsOf(await ask('GET', `rest/link/id/${id}`))[0]!['seen']));
    return states.filter((seen) => seen === 1).length;
  };

  test('four deep; the fifth refuses all of it', async () => {
    const four = await chain(4);
    expect((await ask('PATCH', `rest/link/id/${four[0]}`, { state: 'tight' })).status).toBe(200);
    expect(await tight(four)).toBe(4);
    const five = await chain(5);
    const refused = await ask('PATCH', `rest/link/id/${five[0]}`, { state: 'tight' });
    expect(codeOf(refused)).toEqual([422, 'v2.update_failed']);
    expect(refused.text).toContain('more than 4 deep');
    expect(await tight(five)).toBe(0);
  });

  test('an endpoint’s script counts as the first; what fails it may catch, and the rest stays', async () => {
    const [three, four] = [await chain(3), await chain(4)];
    const answer = await ask('POST', 'x/pull', { ids: [three[0], four[0]] });
    expect(answer.json).toMatchObject([1, [422, expect.stringContaining('more than 4 deep')]]);
    expect([await tight(three), await tight(four)]).toEqual([3, 0]);
    const left = await chain(2);
    expect((await ask('POST', 'x/pull', { ids: [left[0]], fail: true })).status).toBe(500);
    expect(await tight(left)).toBe(0);
  });

  test('eight chains at once on two threads: none waits for itself', async () => {
    const chains = await Promise.all(Array.from({ length: 8 }, () => chain(4)));
    const answers = await Promise.all(chains.map(([id]) => ask('PATCH', `rest/link/id/${id}`, { state: 'tight' })));
    const done = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(done).toBeGreaterThan(0);
    expect(await tight(chains.flat())).toBe(4 * done);
  });
});
