/** Bulk import and export over HTTP to a real node, on both doors. Spec: docs/contract/data.md §7. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import type { Answer } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';
import { bulkCalls, lines, type BulkReport, type Data } from './bulk-calls.ts';
import { exportCases } from './data-bulk-export.cases.ts';

describe.each(['uws', 'node'] as const)('on the %s door', (door) => {
  const on = useDataNode({ door });
  const { bulk, load, rows } = bulkCalls(on);

  describe('Idempotency-Key on an import', () => {
    const keyed = (key: string, body: Data, query = ''): Promise<Answer> =>
      bulk('POST', `entity=paper&format=jsonl&chunk=2${query}`, body, { ...on.bearer, 'Idempotency-Key': key });
    const three = (note: string): string =>
      lines(['a', 'b', 'c'].map((title) => ({ id: `${note}-${title}`, title: `${note}-${title}`, note })));

    test('a retry with the same body gets the first answer and writes nothing', async () => {
      const first = await keyed('import-1', three('once'));
      const again = await keyed('import-1', three('once'));
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
      expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
      expect(await rows('note=once')).toHaveLength(3);
    });

    test('another body, or another query, under the key is 422', async () => {
      await keyed('import-2', three('first'));
      for (const answer of [
        await keyed('import-2', three('other')),
        await keyed('import-2', three('first'), '&skiperrors=true'),
      ])
        expect([answer.status, answer.json]).toMatchObject([422, { code: 'v2.idempotency_key_reused' }]);
      expect(await rows('note=other')).toEqual([]);
    });

    test('an import that a refused row has ended is remembered whole, what was not read too', async () => {
      const row = (id: string): object => ({ id: `ended-${id}`, title: `ended-${id}`, note: 'ended' });
      const body = (last: string): string => lines([row('x'), row('y'), { note: 7 }, row(last)]);
      const first = await keyed('import-3', body('z'));
      expect([first.status, (first.json as BulkReport).imported]).toEqual([207, 2]);
      expect((await keyed('import-3', body('z'))).status).toBe(207);
      expect((await keyed('import-3', body('z'))).text).toBe(first.text);
      expect((await keyed('import-3', body('w'))).status).toBe(422);
      expect(await rows('note=ended')).toHaveLength(2);
    });

    test('an import that wrote nothing keeps nothing: its key is free', async () => {
      expect((await keyed('import-4', 'no json')).json).toMatchObject({ imported: 0 });
      expect((await keyed('import-4', three('free'))).json).toMatchObject({ imported: 3 });
    });

    test('while the first is on its way a retry is 409', async () => {
      let send!: (text: string | null) => void;
      const slow = new ReadableStream<Uint8Array>({
        start(controller) {
          send = (text) => (text === null ? controller.close() : controller.enqueue(Buffer.from(text)));
        },
      });
      const first = keyed('import-5', slow);
      send(`${three('slow')}\n`);
      await expect.poll(() => rows('note=slow'), { timeout: 10_000 }).toHaveLength(2);
      const meanwhile = await keyed('import-5', three('slow'));
      expect([meanwhile.status, meanwhile.json]).toMatchObject([409, { code: 'v2.idempotency_key_in_use' }]);
      send(null);
      expect([(await first).status, (await rows('note=slow')).length]).toEqual([200, 3]);
    });
  });

  describe('import', () => {
    test.each(['jsonl', 'ndjson', 'NDJSON'])('%s: all rows are there, defaults applied', async (format) => {
      const list = Array.from({ length: 2500 }, (_, i) => ({
        id: `${format}${i}`,
        title: `${format} ${i}`,
        note: format,
      }));
      const { status, report } = await load(`entity=paper&format=${format}&chunk=700`, lines(list));
      expect([status, report]).toEqual([200, { imported: 2500, skipped: 0, errors: [] }]);
      const stored = await rows(`note=${format}`);
      expect(stored).toHaveLength(2500);
      expect(stored[0]).toMatchObject({ pages: 1, score: null });
    });

    test('json is the default format: an array of objects', async () => {
      const body = ` [\n{"id":"j1","title":"a, ]}\\"","tags":[{"a":[1]}]},\n{"id":"j2","title":"two"} ] \n`;
      expect((await load('entity=paper', body)).report).toEqual({ imported: 2, skipped: 0, errors: [] });
      expect((await rows('id=j1'))[0]).toMatchObject({ title: 'a, ]}"', tags: [{ a: [1] }] });
      expect((await load('entity=paper', '[]')).report).toEqual({ imported: 0, skipped: 0, errors: [] });
    });

    test('csv: cells by type, an empty one is not given, a quoted one is the empty text; a mark at the front is dropped', async () => {
      const csv =
        '\ufeffid,title,note,pages,score,price,open,tags,due\r\n' +
        'c1,"x, ""y""\nz","",12,-1.5,0.10,TRUE,"{""a"":1}",2026-01-31\r\n' +
        'c2,plain,,,,,,,\r\n';
      expect((await load('entity=paper&format=csv', csv)).report).toEqual({ imported: 2, skipped: 0, errors: [] });
      expect((await rows('id=c1'))[0]).toMatchObject({
        title: 'x, "y"\nz',
        note: '',
        pages: 12,
        score: -1.5,
        price: '0.10',
        open: true,
        tags: { a: 1 },
        due: '2026-01-31',
      });
      expect((await rows('id=c2'))[0]).toMatchObject({ note: null, pages: 1, score: null, open: null, tags: null });
    });

    test('a refused row ends the import, which is 207; its chunk is not written, the chunks before it are', async () => {
      const list = Array.from({ length: 10 }, (_, i) => ({
        id: `s${i}`,
        title: i === 7 ? '' : `stop ${i}`,
        note: 'stop',
      }));
      list[7]!.title = 'stop 2'; // is taken
      const { status, report } = await load('entity=paper&format=jsonl&chunk=3', lines(list));
      expect(status).toBe(207);
      expect(report).toMatchObject({ imported: 6, skipped: 0, errors: [{ line: 8, code: 'v2.create_failed' }] });
      expect(report.errors[0]!.details).toEqual({ fields: { title: ['is taken by another row'] } });
      expect(await rows('note=stop')).toHaveLength(6);
    });

    test('skiperrors=true goes on past refused and unreadable rows, and names each by its line', async () => {
      const body = [
        '{"id":"k1","title":"k 1","note":"skip"}',
        'no json',
        '',
        '{"id":"k3","note":"skip"}',
        '[1]',
        '{"id":"k1","title":"again","note":"skip"}',
        '{"id":"k4","title":"k 4","note":"skip","pages":-1,"nofield":1}',
        '{"id":"k5","title":"k 5","note":"skip"}',
        '{"id":"k6","id":"k7","title":"twice"}',
        '{"id":"k8","title":"proto","__proto__":{}}',
        '{"id":"k9","title":"a file","scan":{"name":"x","sha256":"00"}}',
      ].join('\n');
      const { report } = await load('entity=paper&format=jsonl&skiperrors=true', body);
      expect([report.imported, report.skipped]).toEqual([2, 8]);
      expect(report.errors.map(({ line, code }) => [line, code])).toEqual([
        [2, 'v2.bad_format'],
        [4, 'v2.create_failed'],
        [5, 'v2.bad_format'],
        [6, 'v2.create_failed'],
        [7, 'v2.create_failed'],
        [9, 'v2.bad_format'],
        [10, 'v2.bad_format'],
        [11, 'v2.create_failed'],
      ]);
      expect(report.errors[4]!.details!.fields).toEqual({ nofield: ['is not a field'], pages: ['must be at least 0'] });
      expect(await rows('note=skip')).toHaveLength(2);
    });

    test('the row rule and unknown references count for each row; a denied row is an error of its own', async () => {
      const body = lines([
        { id: 'r1', title: 'seen' },
        { id: 'r2', title: 'unseen', note: 'secret' },
      ]);
      const { report } = await load('entity=paper&format=jsonl&skiperrors=TRUE', body);
      expect([report.imported, report.errors.map(({ line }) => line)]).toEqual([1, [2]]);
    });

    test('dryrun does everything but keep it', async () => {
      const body = lines([{ id: 'd1', title: 'dry' }, { id: 'd2' }]);
      const { report } = await load('entity=paper&format=jsonl&skiperrors=true&dryrun=true', body);
      expect(report).toMatchObject({ imported: 1, skipped: 1, dry_run: true });
      expect(await rows('id=d1')).toHaveLength(0);
    });

    test.each(['0', '-5', 'many', ''])('chunk=%s falls back to the default', async (chunk) => {
      const body = lines([{ id: `f${door}${chunk}`, title: `chunk ${chunk}` }]);
      expect((await load(`entity=paper&format=jsonl&chunk=${chunk}`, body)).report).toMatchObject({ imported: 1 });
    });

    test('more refused rows than the answer lists are counted', async () => {
      const body = 'x\n'.repeat(limits.data.importErrorsMax + 5);
      const { report } = await load('entity=paper&format=jsonl&skiperrors=true', body);
      expect([report.skipped, report.errors.length, report.errors_omitted]).toEqual([
        limits.data.importErrorsMax + 5,
        limits.data.importErrorsMax,
        5,
      ]);
    });

    test('the same unique value twice in one import: the second is refused, also across chunks', async () => {
      const body = lines([
        { id: 'u1', title: 'u' },
        { id: 'u2', title: 'u' },
        { id: 'u3', title: 'v' },
        { id: 'u4', title: 'u' },
      ]);
      const { report } = await load('entity=paper&format=jsonl&skiperrors=true&chunk=2', body);
      expect([report.imported, report.errors.map(({ line }) => line)]).toEqual([2, [2, 4]]);
    });
  });

  describe('data that is not what its format says: 400 v2.bad_format, its chunk not written', () => {
    test.each<[string, string, string | Uint8Array<ArrayBuffer>, number, RegExp]>([
      ['a quote that is not closed', 'csv', 'id,title\nb1,one\nb2,"two', 3, /quote/i],
      ['a quote inside an unquoted cell', 'csv', 'id,title\nb1,on"e\n', 2, /quote/i],
      ['something behind a closing quote', 'csv', 'id,title\nb1,"one"x\n', 2, /quote/i],
      ['a column that is no field', 'csv', 'id,title,nofield\nb1,one,2\n', 1, /no field "nofield"/],
      ['__proto__ as a column', 'csv', 'id,__proto__\nb1,one\n', 1, /no field "__proto__"/],
      ['a column twice', 'csv', 'id,title,title\nb1,one,2\n', 1, /twice/],
      ['no header', 'csv', '', 1, /header/],
      ['a NUL', 'csv', 'id,title\nb1,o\0ne\n', 1, /NUL/],
      ['UTF-16', 'csv', new Uint8Array([0x69, 0, 0x64, 0]), 1, /NUL/],
      ['invalid UTF-8', 'jsonl', new Uint8Array([0x7b, 0x22, 0xc3, 0x28]), 1, /UTF-8/],
      ['a character cut off at the end', 'jsonl', new Uint8Array([0x7b, 0xc3]), 1, /UTF-8/],
      ['nothing', 'json', '', 1, /empty/],
      ['an object', 'json', '{"id":"b1","title":"one"}', 1, /array/],
      ['an array that does not end', 'json', '[\n{"id":"b1","title":"one"},\n', 3, /inside the array/],
      ['no comma', 'json', '[{"id":"b1","title":"one"}\n{"id":"b2"}]', 2, /comma/],
      ['two commas', 'json', '[{"id":"b1","title":"one"},,]', 1, /object/],
      ['something behind the end', 'json', '[]\nx', 2, /after the end/],
    ])('%s (%s)', async (_name, format, body, line, message) => {
      const { status, report } = await load(`entity=paper&format=${format}`, body);
      expect([status, report.code]).toEqual([400, 'v2.bad_format']);
      expect(report.error).toMatch(message);
      expect(report.details).toMatchObject({ line, imported: 0 });
      expect(await rows('id=b1')).toHaveLength(0);
    });

    test('a wrong number of columns is an error of its row', async () => {
      const { status, report } = await load(
        'entity=paper&format=csv&skiperrors=true',
        'id,title\nw1,one\nw2\nw3,a,b\nw4,four\n',
      );
      expect(status).toBe(200);
      expect(report).toMatchObject({ imported: 2, skipped: 2 });
      expect(report.errors).toMatchObject([
        { line: 3, error: 'has 1 columns, the header has 2' },
        { line: 4, error: 'has 3 columns, the header has 2' },
      ]);
    });

    test('a row past its bound ends the import', async () => {
      const body = `{"id":"long","title":"${'x'.repeat(limits.data.importRowCharsMax)}"}`;
      for (const [format, data] of [
        ['jsonl', body],
        ['json', `[${body}]`],
        ['csv', `id,title\nlong,${body.length > 0 ? 'y'.repeat(limits.data.importRowCharsMax + 1) : ''}`],
      ] as const) {
        const { status, report } = await load(`entity=paper&format=${format}`, data);
        expect([format, status, report.code]).toEqual([format, 400, 'v2.bad_format']);
      }
    });
  });

  exportCases(on);

  describe('what both refuse', () => {
    test.each([
      ['no entity', 'format=csv', 400, 'v2.missing_entity'],
      ['an empty entity', 'entity=', 400, 'v2.missing_entity'],
      ['another format', 'entity=paper&format=xlsx', 400, 'v2.bad_format'],
      ['an unknown entity', 'entity=nothing', 404, 'v2.entity_not_found'],
      ['another datastore', 'entity=paper&datastore=other', 422, 'v2.query_failed'],
    ])('%s', async (_name, query, status, code) => {
      for (const method of ['POST', 'PATCH']) {
        const answer = await bulk(method, query, method === 'POST' ? '[]' : undefined);
        expect([method, answer.status, (answer.json as BulkReport).code]).toEqual([method, status, code]);
      }
    });

    test('an unknown field of an export: 422 v2.query_failed', async () => {
      for (const query of ['filter=nofield=1', 'orderby=nofield', 'fields=nofield', 'filter=alone']) {
        const answer = await bulk('PATCH', `entity=paper&${query}`);
        expect([query, answer.status, (answer.json as BulkReport).code]).toEqual([query, 422, 'v2.query_failed']);
      }
    });

    test('a caller that may not create or read is refused at once', async () => {
      const denied = await bulk('POST', 'entity=hidden&format=jsonl', '{"text":"x"}');
      expect([denied.status, (denied.json as BulkReport).code]).toEqual([403, 'v2.create_failed']);
      const unread = await bulk('PATCH', 'entity=hidden');
      expect([unread.status, (unread.json as BulkReport).code]).toEqual([403, 'v2.query_failed']);
    });

    test('no credential: the plain 401, on a body of any length', async () => {
      const answer = await bulk('POST', 'entity=paper', 'x'.repeat(3_000_000), on.it.position());
      expect([answer.status, answer.text]).toEqual([401, 'Unauthorized']);
      expect((await bulk('PATCH', 'entity=paper', undefined, on.it.position())).text).toBe('Unauthorized');
    });

    test('GET, PUT and DELETE are not declared, and there is no mirror', async () => {
      expect((await on.it.call('GET', '/data/bulk?entity=paper', on.bearer)).status).toBe(405);
      expect((await on.it.call('POST', '/data/anon/bulk?entity=paper', on.bearer, [])).status).toBe(404);
    });
  });

  describe('streams', () => {
    test('a caller that leaves mid-way: whole chunks are there, the torn one is not', async () => {
      const wire = await Wire.open(Number(new URL(on.it.gateway).port));
      const head = Object.entries(on.bearer)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('');
      wire.send(
        `POST /data/bulk?entity=paper&format=jsonl&chunk=100 HTTP/1.1\r\nHost: x\r\n${head}Content-Length: 10000000\r\n\r\n`,
      );
      wire.send(
        `${lines(Array.from({ length: 250 }, (_, i) => ({ id: `t${i}`, title: `torn ${i}`, note: 'torn' })))}\n`,
      );
      await until(async () => (await rows('note=torn')).length === 200);
      wire.end();
      await until(async () => (await on.it.call('GET', '/data/rest/paper?limit=1', on.bearer)).status === 200);
      expect(await rows('note=torn')).toHaveLength(200);
    });

    test('a body of unknown length (chunked), pieces that cut rows and characters anywhere', async () => {
      const bytes = new TextEncoder().encode(
        lines(Array.from({ length: 300 }, (_, i) => ({ id: `p${i}`, title: `grün ${i}`, note: 'pieces' }))),
      );
      let at = 0;
      const body = new ReadableStream({
        pull(controller) {
          if (at >= bytes.length) controller.close();
          else controller.enqueue(bytes.slice(at, (at += 997)));
        },
      });
      expect((await load('entity=paper&format=jsonl', body)).report).toEqual({ imported: 300, skipped: 0, errors: [] });
      expect((await rows('id=p299'))[0]).toMatchObject({ title: 'grün 299' });
    });

    test('others of the same tenant write and read while an import runs', async () => {
      const body = lines(Array.from({ length: 20_000 }, (_, i) => ({ id: `b${i}`, title: `busy ${i}`, note: 'busy' })));
      const running = load('entity=paper&format=jsonl', body);
      for (let i = 0; i < 20; i++) {
        const created = await on.it.call('POST', '/data/rest/paper', on.bearer, { id: `o${i}`, title: `other ${i}` });
        expect(created.status).toBe(201);
        expect((await on.it.call('GET', `/data/rest/paper/id/o${i}`, on.bearer)).status).toBe(200);
      }
      expect((await running).report).toEqual({ imported: 20_000, skipped: 0, errors: [] });
    });

    test('two imports of the same keys at once: each key is there once, each row imported or refused', async () => {
      const body = lines(Array.from({ length: 3000 }, (_, i) => ({ id: `two${i}`, title: `two ${i}`, note: 'two' })));
      const both = await Promise.all(
        [1, 2].map(() => load('entity=paper&format=jsonl&skiperrors=true&chunk=500', body)),
      );
      expect(both[0]!.report.imported + both[1]!.report.imported).toBe(3000);
      expect(await rows('note=two')).toHaveLength(3000);
    });
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
