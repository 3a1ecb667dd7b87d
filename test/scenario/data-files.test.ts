/** File fields over HTTP to a real node, on both doors: multipart create, download, ranges, what is swept. Spec: docs/contract/data.md §5.9, §6.2. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { answerOf, type Answer, type Headers } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';

interface Created {
  readonly data: readonly Record<string, never>[];
  readonly code?: string;
  readonly error?: string;
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe.each(['uws', 'node'] as const)('on the %s door', (door) => {
  const on = useDataNode({ door });

  const send = async (form: FormData, entity = 'paper'): Promise<Answer> =>
    answerOf(await fetch(`${on.it.gateway}/data/rest/${entity}`, { method: 'POST', headers: on.bearer, body: form }));
  /** A hand-made body. */
  const sendRaw = async (body: string, boundary = 'b'): Promise<Answer> => {
    const headers = { ...on.bearer, 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    return answerOf(await fetch(`${on.it.gateway}/data/rest/paper`, { method: 'POST', headers, body }));
  };
  const part = (head: string, body: string): string =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const form = (fields: Record<string, string | File>): FormData => {
    const out = new FormData();
    for (const [name, value] of Object.entries(fields)) out.append(name, value);
    return out;
  };
  const get = (
    id: string,
    query = 'download=true&field=scan',
    headers: Headers = {},
    method = 'GET',
  ): Promise<Response> =>
    fetch(`${on.it.gateway}/data/rest/paper/id/${id}?${query}`, { method, headers: { ...on.bearer, ...headers } });
  const blobs = (): string[] => {
    const root = join(on.it.dir, 'data', 'blobs');
    return existsSync(root)
      ? readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((e) => e.isFile())
          .map((e) => e.name)
      : [];
  };

  test('Idempotency-Key: a form that is sent again, under a boundary of its own, creates one row', async () => {
    const keyed = async (fields: Record<string, string | File>): Promise<Answer> => {
      const headers = { ...on.bearer, 'Idempotency-Key': 'form-1' };
      return answerOf(await fetch(`${on.it.gateway}/data/rest/paper`, { method: 'POST', headers, body: form(fields) }));
    };
    const fields = (): Record<string, string | File> => ({
      id: 'kept',
      title: 'kept once',
      scan: new File(['bytes'], 'a.txt'),
    });
    const first = await keyed(fields());
    const again = await keyed(fields());
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await keyed({ id: 'kept', title: 'kept once', scan: new File(['other'], 'a.txt') });
    expect([other.status, other.json]).toMatchObject([422, { code: 'v2.idempotency_key_reused' }]);
  });

  describe('create as multipart', () => {
    test('text parts become fields, literals first; the row shows name, type, size and digest of its file', async () => {
      const bytes = randomBytes(300_000);
      const file = new File([bytes], 'päge 1.pdf', { type: 'application/pdf' });
      const answer = await send(
        form({ id: 'm1', title: '123', pages: '7', open: 'true', tags: '{"a":[1]}', note: 'null', scan: file }),
      );
      expect(answer.status).toBe(201);
      const row = (answer.json as Created).data[0]!;
      expect(row).toMatchObject({
        id: 'm1',
        title: '123',
        pages: 7,
        open: true,
        tags: { a: [1] },
        note: null,
        cover: null,
      });
      expect(row['scan']).toEqual({
        name: 'päge 1.pdf',
        content_type: 'application/pdf',
        size: 300_000,
        sha256: digest(bytes),
      });
      expect(answer.headers.get('etag')).toBe('"1"');
      const read = await on.it.call('GET', '/data/rest/paper/id/m1', on.bearer);
      expect((read.json as Created).data[0]).toEqual(row);
    });

    test('without files it is an ordinary create, and an empty file part is no file', async () => {
      const answer = await send(form({ id: 'm2', title: 'no file', scan: new File([], '') }));
      expect([answer.status, (answer.json as Created).data[0]!['scan']]).toEqual([201, null]);
    });

    test('a type that is not declared is sniffed', async () => {
      const png = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
        'base64',
      );
      const answer = await send(form({ id: 'm3', title: 'sniffed', scan: new File([png], '../../etc/a.png') }));
      expect((answer.json as Created).data[0]!['scan']).toMatchObject({ name: 'a.png', content_type: 'image/png' });
    });

    test('a file is on the disk once, however many rows have it', async () => {
      const bytes = randomBytes(1000);
      for (const id of ['m4', 'm5'])
        expect((await send(form({ id, title: id, scan: new File([bytes], 'a') }))).status).toBe(201);
      expect(blobs().filter((name) => name === digest(bytes))).toHaveLength(1);
    });
  });

  describe('what multipart refuses; nothing is written and no upload stays', () => {
    const file = new File(['x'], 'x');
    test.each<[string, () => Promise<Answer>, number, string]>([
      ['no boundary', () => sendRaw('--b--\r\n', ''), 400, 'v2.multipart_parse'],
      ['no multipart body', () => sendRaw('hello'), 400, 'v2.multipart_parse'],
      ['cut off in a text', () => sendRaw(part('name="title"', 'x')), 400, 'v2.multipart_parse'],
      [
        'cut off in a file',
        () =>
          sendRaw(
            `${part('name="title"', 'x')}--b\r\nContent-Disposition: form-data; name="scan"; filename="a"\r\n\r\nabc`,
          ),
        400,
        'v2.multipart_parse',
      ],
      ['no parts', () => sendRaw('--b--\r\n'), 400, 'v2.multipart_empty'],
      [
        'too many parts',
        () =>
          sendRaw(
            `${Array.from({ length: limits.multipart.partsMax + 1 }, (_, i) => part(`name="f${i}"`, 'x')).join('')}--b--\r\n`,
          ),
        400,
        'v2.multipart_parse',
      ],
      [
        'too much text',
        () => send(form({ title: 'x'.repeat(limits.multipart.textBytesMax + 1) })),
        400,
        'v2.multipart_parse',
      ],
      [
        'text in many parts that is too much',
        () =>
          send(
            form(
              Object.fromEntries(
                ['title', 'note', 'pages'].map((name) => [name, 'x'.repeat(limits.multipart.textBytesMax / 2)]),
              ),
            ),
          ),
        400,
        'v2.multipart_parse',
      ],
      [
        'a head without end',
        () => sendRaw(`--b\r\nContent-Disposition: form-data; name="${'x'.repeat(200_000)}`),
        400,
        'v2.multipart_parse',
      ],
      [
        'a file for an undeclared field',
        () => send(form({ title: 'x', nofield: file })),
        400,
        'v2.multipart_bad_payload',
      ],
      ['a file for a field of another type', () => send(form({ title: file })), 400, 'v2.multipart_bad_payload'],
      [
        'two files for one field',
        () => {
          const two = form({ title: 'x', scan: file });
          two.append('scan', file);
          return send(two);
        },
        400,
        'v2.multipart_bad_payload',
      ],
      [
        'a text twice',
        () => {
          const two = form({ title: 'x' });
          two.append('title', 'y');
          return send(two);
        },
        400,
        'v2.multipart_bad_payload',
      ],
      [
        'a text for an undeclared field',
        () => send(form({ title: 'x', nofield: 'y' })),
        400,
        'v2.multipart_bad_payload',
      ],
      ['a part without a name', () => sendRaw(`${part('', 'x')}--b--\r\n`), 400, 'v2.multipart_parse'],
      ['a row that is not valid', () => send(form({ note: 'no title', scan: file })), 422, 'v2.create_failed'],
      ['a text for a file field', () => send(form({ title: 'x', scan: 'text' })), 422, 'v2.create_failed'],
      [
        'a made-up file',
        () => send(form({ title: 'x', scan: '{"name":"a","content_type":"a/b","size":1,"sha256":"00"}' })),
        422,
        'v2.create_failed',
      ],
      [
        'a row that its rule denies',
        () => send(form({ id: 'x', title: 'x', note: 'secret', scan: file })),
        403,
        'v2.create_failed',
      ],
      ['an entity that no caller may create', () => send(form({ text: 'x' }), 'hidden'), 403, 'v2.create_failed'],
      ['an unknown entity', () => send(form({ text: 'x' }), 'nothing'), 404, 'v2.entity_not_found'],
    ])('%s', async (_name, run, status, code) => {
      const before = blobs();
      const answer = await run();
      expect([answer.status, (answer.json as Created).code, (answer.json as Created).error]).toEqual([
        status,
        code,
        expect.any(String),
      ]);
      await until(() => Promise.resolve(blobs().length === before.length));
    });

    test('a JSON body cannot name a blob', async () => {
      const scan = { name: 'a', content_type: 'a/b', size: 1, sha256: '0'.repeat(64) };
      const answer = await on.it.call('POST', '/data/rest/paper', on.bearer, { title: 'json', scan });
      expect([answer.status, (answer.json as Created).code]).toEqual([422, 'v2.create_failed']);
    });

    test('a caller that leaves in the middle of a file leaves nothing', async () => {
      const before = blobs();
      const wire = await Wire.open(Number(new URL(on.it.gateway).port));
      const head = Object.entries(on.bearer)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('');
      wire.send(
        `POST /data/rest/paper HTTP/1.1\r\nHost: x\r\n${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n`,
      );
      wire.send(`--b\r\nContent-Disposition: form-data; name="scan"; filename="a"\r\n\r\n${'x'.repeat(400_000)}`);
      await until(() => Promise.resolve(blobs().length === before.length + 1));
      wire.end();
      await until(() => Promise.resolve(blobs().length === before.length));
    });
  });

  describe('download', () => {
    const bytes = randomBytes(1_000_000);
    beforeAll(async () => {
      const page = new File(['<script>'], 'a 100% ü.html', { type: 'text/html' });
      const answer = await send(
        form({
          id: 'd1',
          title: 'download',
          scan: new File([bytes], 'scan.bin', { type: 'application/x-scan' }),
          cover: page,
        }),
      );
      expect(answer.status).toBe(201);
      await send(form({ id: 'd2', title: 'none' }));
    });

    test('all bytes, with their type, length, attachment and nosniff; any case of true', async () => {
      const answer = await get('d1', 'download=TRUE&field=scan');
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/x-scan',
        'content-length': '1000000',
        'content-disposition': 'attachment; filename="scan.bin"',
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        etag: `"${digest(bytes)}"`,
      });
      expect(digest(new Uint8Array(await answer.arrayBuffer()))).toBe(digest(bytes));
    });

    test('html is an attachment like everything, its name in both spellings', async () => {
      const answer = await get('d1', 'download=true&field=cover');
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="a 100_ _.html"; filename*=UTF-8''a%20100%25%20%C3%BC.html`,
      );
      expect(answer.headers.get('content-security-policy')).toBe('sandbox');
      expect(await answer.text()).toBe('<script>');
    });

    test('HEAD has the head and no body', async () => {
      const answer = await get('d1', 'download=true&field=scan', {}, 'HEAD');
      expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '1000000', '']);
    });

    test.each([
      ['bytes=0-9', 0, 10],
      ['bytes=999990-', 999_990, 1_000_000],
      ['bytes=-5', 999_995, 1_000_000],
      ['bytes=500000-2000000', 500_000, 1_000_000],
      ['bytes=-9000000', 0, 1_000_000],
    ])('%s: 206 with that part', async (range, from, to) => {
      const answer = await get('d1', undefined, { Range: range });
      expect([answer.status, answer.headers.get('content-range'), answer.headers.get('content-length')]).toEqual([
        206,
        `bytes ${from}-${to - 1}/1000000`,
        String(to - from),
      ]);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(from, to))).toBe(true);
    });

    test.each(['bytes=1000000-', 'bytes=-0'])('%s: 416 with the size', async (range) => {
      const answer = await get('d1', undefined, { Range: range });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */1000000']);
    });

    test.each(['bytes=9-2', 'bytes=a-b', 'rows=0-1', 'bytes=0-1,5-6'])('%s: all of it', async (range) => {
      const answer = await get('d1', undefined, { Range: range });
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 1_000_000]);
    });

    test('If-Range: the part while the file is the same, all of it otherwise', async () => {
      const same = await get('d1', undefined, { Range: 'bytes=0-9', 'If-Range': `"${digest(bytes)}"` });
      const other = await get('d1', undefined, { Range: 'bytes=0-9', 'If-Range': '"other"' });
      expect([same.status, other.status]).toEqual([206, 200]);
      await other.body!.cancel();
    });

    test.each([
      ['no field', 'd1', 'download=true', 400, 'v2.missing_field'],
      ['an unknown field', 'd1', 'download=true&field=nofield', 404, 'v2.field_not_found'],
      ['no file field', 'd1', 'download=true&field=title', 400, 'v2.field_not_file'],
      ['no file in it', 'd2', 'download=true&field=scan', 404, 'v2.field_empty'],
      ['no such row', 'none', 'download=true&field=scan', 404, 'v2.row_not_found'],
    ])('%s', async (_name, id, query, status, code) => {
      const answer = await get(id, query);
      expect([answer.status, ((await answer.json()) as Created).code]).toEqual([status, code]);
    });

    test('without an id: 400 v2.download_needs_id; download=false is a plain read', async () => {
      const list = await on.it.call('GET', '/data/rest/paper?download=true&field=scan', on.bearer);
      expect([list.status, (list.json as Created).code]).toEqual([400, 'v2.download_needs_id']);
      expect(((await (await get('d1', 'download=false')).json()) as Created).data[0]!['id']).toBe('d1');
    });

    test('a slow reader, and one that leaves; the row and its file are still there', async () => {
      const answer = await get('d1');
      const reader = answer.body!.getReader();
      await reader.read();
      await reader.cancel();
      expect((await (await get('d1')).arrayBuffer()).byteLength).toBe(1_000_000);
    });
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
