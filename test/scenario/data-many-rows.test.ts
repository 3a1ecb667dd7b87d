/** Writes of many rows by one request, over HTTP to a real node (docs/contract/data.md §6.7, §6.8). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Depot } from '#test/kit/depot.ts';

let it: Depot;
beforeAll(async () => {
  it = await Depot.open();
});
afterAll(() => it.node.stop());
const counting = (count: number) => it.as({ 'If-Count': String(count) });
const named = async (name: string): Promise<number> =>
  (await it.send('GET', `rest/box?name=${name}&limit=0&stats=true`)).json.total;

test('the rows that a filter finds are changed and deleted where they are as many as If-Count says', async () => {
  const rows = Array.from({ length: 1500 }, (_, i) => ({ name: 'many', count: i }));
  expect((await it.send('POST', 'rest', { operations: [{ data: { box: rows } }] })).status).toBe(200);
  const plain = await it.send('PATCH', 'rest/box?name=many', { weight: '1' });
  expect([plain.status, plain.json.code]).toEqual([400, 'v2.missing_id']);
  const bare = await it.send('DELETE', 'rest/box?name=many');
  expect([bare.status, bare.json.code]).toEqual([400, 'v2.bad_path']);

  const wrong = await it.send('PATCH', 'rest/box?name=many', { weight: '1' }, counting(1499));
  expect([wrong.status, wrong.json.code, wrong.json.details]).toEqual([
    412,
    'v2.count_differs',
    { if_count: 1499, found: null },
  ]);
  const right = await it.send('PATCH', 'rest/box?name=many&count[lt]=1000', { name: 'more' }, counting(1000));
  expect([right.status, right.json.total]).toEqual([200, 1000]);
  expect([await named('many'), await named('more')]).toEqual([500, 1000]);

  // Of parallel deletes of the same rows one finds them; another may meet it at work, and is told to come again.
  const deletes = await Promise.all(
    Array.from({ length: 5 }, () => it.send('DELETE', 'rest/box?name=more&purge=true', undefined, counting(1000))),
  );
  const [won, ...lost] = deletes.map(({ status }) => status).toSorted((a, b) => a - b);
  expect([won, lost.filter((status) => status !== 412 && status !== 503)]).toEqual([200, []]);
  expect(await named('more')).toBe(0);
  const mirrored = await it.node.call('DELETE', '/data/anon/rest/box?name=many', {
    ...it.node.position(),
    'If-Count': '500',
  });
  expect([mirrored.status, mirrored.text.includes('"total":500')]).toEqual([200, true]);
  expect(await named('many')).toBe(0);
});

test('an array creates all its rows or none; [on] changes the rows that hold a unique key', async () => {
  const shelves = (from: number, to: number, row: number) =>
    Array.from({ length: to - from }, (_, i) => ({ label: `many ${from + i}`, row, place: from + i }));
  const made = await it.send('POST', 'rest/shelf', shelves(0, 300, 50));
  expect([made.status, made.json.count]).toEqual([201, 300]);
  const before = await it.total('shelf');
  const taken = await it.send('POST', 'rest/shelf', [...shelves(900, 910, 50), { label: 'many 7' }]);
  expect([taken.status, taken.json.code, taken.json.details['row']]).toEqual([422, 'v2.create_failed', 10]);
  expect(await it.total('shelf')).toBe(before);

  const headers = it.as({ 'Idempotency-Key': 'upsert-1' });
  const upsert = () => it.send('POST', 'rest/shelf?[on]=label', shelves(200, 400, 51), headers);
  const [first, second] = await Promise.all([upsert(), upsert()]);
  expect([first.status, first.json.count, second.text]).toEqual([200, 200, first.text]);
  expect(await it.total('shelf')).toBe(before + 100);
  const moved = await it.send('GET', 'rest/shelf?row=51&[aggregate]=count,min(place),max(place)');
  expect(moved.json.data).toEqual([{ count: 200, 'min(place)': 200, 'max(place)': 399 }]);
  const single = await it.send('POST', 'rest/shelf?[on]=row,place', { label: 'renamed', row: 51, place: 200 });
  expect([single.status, single.json.data[0]!['label'], single.json.data[0]!['id']]).toEqual([
    200,
    'renamed',
    first.json.data[0]!['id'],
  ]);
  const odd = await it.send('POST', 'rest/shelf?[on]=row', { label: 'x', row: 51 });
  expect([odd.status, odd.json.details['parameter']]).toEqual([422, '[on]']);
});
