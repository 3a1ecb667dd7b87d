/** Files of rows that exist, exchanged and taken away over HTTP at a real node, on both doors. Spec: docs/contract/data.md §6.2, §6.3. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import { answerOf, type Answer, type Headers } from '#test/kit/test-node.ts';

interface Shown {
  readonly data: readonly Record<string, never>[];
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function form(fields: Record<string, string | File>): FormData {
  const out = new FormData();
  for (const [name, value] of Object.entries(fields)) out.append(name, value);
  return out;
}

describe.each(['uws', 'node'] as const)('on the %s door', (door) => {
  const on = useDataNode({ door });

  const send = async (body: FormData): Promise<Answer> =>
    answerOf(await fetch(`${on.it.gateway}/data/rest/paper`, { method: 'POST', headers: on.bearer, body }));
  const get = (id: string): Promise<Response> =>
    fetch(`${on.it.gateway}/data/rest/paper/id/${id}?download=true&field=scan`, { headers: on.bearer });
  const blobs = (): string[] =>
    readdirSync(join(on.it.dir, 'data', 'blobs'), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ name }) => name);
  const change = async (id: string, fields: Record<string, string | File>, headers: Headers = {}): Promise<Answer> =>
    answerOf(
      await fetch(`${on.it.gateway}/data/rest/paper/id/${id}`, {
        method: 'PATCH',
        headers: { ...on.bearer, ...headers },
        body: form(fields),
      }),
    );
  const rowOf = async (id: string): Promise<Record<string, never>> =>
    ((await on.it.call('GET', `/data/rest/paper/id/${id}`, on.bearer)).json as Shown).data[0]!;

  test('a file takes the place of another; what is not there stays, and `null` takes a file away', async () => {
    await send(form({ id: 'u1', title: 'first', pages: '3', scan: new File(['old bytes'], 'old.txt') }));
    const bytes = randomBytes(200_000);
    const answer = await change('u1', { title: 'second', scan: new File([bytes], 'new.bin') });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"2"']);
    const row = (answer.json as Shown).data[0]!;
    expect(row).toMatchObject({ title: 'second', pages: 3 });
    expect(row['scan']).toMatchObject({ name: 'new.bin', size: 200_000, sha256: digest(bytes) });
    expect(await rowOf('u1')).toEqual(row);
    expect(Buffer.from(await (await get('u1')).arrayBuffer()).equals(bytes)).toBe(true);
    expect((await change('u1', { scan: 'null' })).status).toBe(200);
    expect((await rowOf('u1'))['scan']).toBeNull();
  });

  test('If-Match and a key of the body are held against the row before a file is kept', async () => {
    await send(form({ id: 'u2', title: 'kept' }));
    const bytes = randomBytes(100);
    const scan = (): File => new File([bytes], 'a');
    const stale = await change('u2', { scan: scan() }, { 'If-Match': '"7"' });
    expect([stale.status, stale.json]).toMatchObject([412, { code: 'v2.precondition_failed' }]);
    const other = await change('u2', { id: 'u1', scan: scan() });
    expect([other.status, other.json]).toMatchObject([422, { code: 'v2.id_mismatch' }]);
    const none = await change('u-none', { scan: scan() });
    expect([none.status, none.json]).toMatchObject([404, { code: 'v2.update_failed' }]);
    const unfit = await change('u2', { pages: 'many', scan: scan() });
    expect([unfit.status, unfit.json]).toMatchObject([422, { code: 'v2.update_failed' }]);
    expect(blobs()).not.toContain(digest(bytes));
    expect((await change('u2', { id: 'u2', scan: scan() }, { 'If-Match': '"1"' })).status).toBe(200);
    expect(blobs()).toContain(digest(bytes));
  });

  test('a part that does not fit, and a body that is cut, change nothing', async () => {
    await send(form({ id: 'u3', title: 'as it was' }));
    for (const [fields, code] of [
      [{ strange: 'x' }, 'v2.multipart_bad_payload'],
      [{ title: new File(['x'], 'x') }, 'v2.multipart_bad_payload'],
    ] as const) {
      const refused = await change('u3', fields);
      expect([refused.status, refused.json]).toMatchObject([400, { code }]);
    }
    expect(await rowOf('u3')).toMatchObject({ title: 'as it was' });
  });

  test('Idempotency-Key: a form that is sent again changes the row once', async () => {
    await send(form({ id: 'u4', title: 'first' }));
    const once = (text: string) =>
      change('u4', { title: 'changed once', scan: new File([text], 'a.txt') }, { 'Idempotency-Key': 'form-2' });
    const [first, again] = [await once('bytes'), await once('bytes')];
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await once('others')).json).toMatchObject({ code: 'v2.idempotency_key_reused' });
  });
});
