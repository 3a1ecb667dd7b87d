/** Cases of the bulk export, for data-bulk.test.ts. Spec: docs/contract/data.md §7. */
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { DataNode } from '#test/kit/data-node.ts';
import { bulkCalls, lines, type Row } from './bulk-calls.ts';

/** Declares the cases within the calling group, over the node of that group. */
export function exportCases(on: DataNode): void {
  const { bulk, load } = bulkCalls(on);
  describe('export', () => {
    const papers = Array.from({ length: 1200 }, (_, i) => ({
      id: `e${String(i).padStart(4, '0')}`,
      title: `${i % 2 === 0 ? '=' : ''}title ${i}, "q"`,
      note: 'export',
      pages: i % 7,
      score: -i / 2,
      price: `-${i}.50`,
      open: i % 2 === 0,
      tags: { i },
      due: '2026-02-01',
    }));
    beforeAll(async () => {
      const { report } = await load('entity=paper&format=jsonl', lines(papers));
      expect(report).toEqual({ imported: 1200, skipped: 0, errors: [] });
    });

    test('json is the default: an array in key order, the cap by default 10000', async () => {
      const answer = await bulk('PATCH', 'entity=paper&filter=note=export');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBeNull();
      expect((answer.json as Row[]).map(({ id }) => id)).toEqual(papers.map(({ id }) => id));
      expect((answer.json as Row[])[5]).toMatchObject(papers[5]!);
    });

    test('jsonl, some fields, equality filters, order, limit', async () => {
      const query =
        'entity=paper&format=ndjson&filter=note=export&filter=pages=3&orderby=-score&fields=id,score&limit=2';
      const answer = await bulk('PATCH', query);
      expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      expect(answer.text).toBe('{"id":"e0003","score":-1.5}\n{"id":"e0010","score":-5}\n');
    });

    test('csv: header, attachment, formulas disarmed, numbers left alone; it comes in again as it was', async () => {
      const answer = await bulk(
        'PATCH',
        'entity=paper&format=csv&filter=note=export&fields=id,title,note,score,price,tags',
      );
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename=paper.csv');
      const records = parse(answer.text, { columns: true }) as Record<string, string>[];
      expect(records).toHaveLength(1200);
      expect(records[2]).toEqual({
        id: 'e0002',
        title: `'=title 2, "q"`,
        note: 'export',
        score: '-1',
        price: '-2.50',
        tags: '{"i":2}',
      });
      const raw = await bulk(
        'PATCH',
        'entity=paper&format=csv&filter=note=export&fields=id,title&escapeformulas=false&limit=1',
      );
      expect(raw.text).toBe('id,title\r\ne0000,"=title 0, ""q"""\r\n');
    });

    test.each([
      ['0', 200],
      ['-1', 422],
      ['x', 422],
      ['1.5', 422],
    ])('limit=%s is %d, as on a list', async (limit, status) => {
      const answer = await bulk('PATCH', `entity=paper&filter=note=export&fields=id&limit=${limit}`);
      const list = await on.it.call('GET', `/data/rest/paper?note=export&limit=${limit}`, on.bearer);
      expect([answer.status, list.status]).toEqual([status, status]);
      if (status === 200) expect([answer.json, list.json]).toMatchObject([[], { data: [] }]);
      else expect(answer.json).toMatchObject({ code: 'v2.query_failed', details: { parameter: 'limit' } });
    });

    test('rows that the row rule hides are not exported; nothing found is an empty export', async () => {
      expect((await bulk('PATCH', 'entity=paper&filter=note=secret')).text).toBe('[]');
      expect((await bulk('PATCH', 'entity=paper&format=jsonl&filter=id=none')).text).toBe('');
      expect((await bulk('PATCH', 'entity=paper&format=csv&fields=id&filter=id=none')).text).toBe('id\r\n');
    });

    test('a request body changes nothing; one of unknown length is 411, for the answer is one too', async () => {
      const answer = await bulk('PATCH', 'entity=paper&filter=id=e0000&fields=id', 'abc');
      expect([answer.status, answer.text]).toEqual([200, '[{"id":"e0000"}]']);
      const pieces = new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(3));
          controller.close();
        },
      });
      expect((await bulk('PATCH', 'entity=paper', pieces)).status).toBe(411);
    });

    test('an export of a million bytes leaves while its reader is slow, and ends when the reader leaves', async () => {
      const response = await fetch(`${on.it.gateway}/data/bulk?entity=paper&format=jsonl`, {
        method: 'PATCH',
        headers: on.bearer,
      });
      const reader = response.body!.getReader();
      await reader.read();
      await reader.cancel();
      // The node goes on serving, and the places of exports are free again.
      for (let i = 0; i < limits.data.exportsRunningMax + 1; i++) {
        const left = await fetch(`${on.it.gateway}/data/bulk?entity=paper&format=jsonl`, {
          method: 'PATCH',
          headers: on.bearer,
        });
        expect(left.status).toBe(200);
        await left.body!.cancel();
      }
    });
  });
}
