/** What an export gives, an import takes: the rows are then the same, in every format, whatever they hold. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';

const FORMATS = ['json', 'jsonl', 'csv'] as const;

/** Every type that a body of bulk data can hold; those with a default tell null from what is not given. */
const fields: Readonly<Record<string, FieldDefinition>> = {
  id: { type: 'string' },
  phone: { type: 'string' },
  note: { type: 'text', default: 'none' },
  kind: { type: 'enum', enum: ['-a', '=b', 'c'], default: 'c' },
  count: { type: 'integer', default: 7 },
  score: { type: 'number', default: 0.5 },
  price: { type: 'decimal' },
  open: { type: 'boolean', default: true },
  day: { type: 'date', default: '2026-01-01' },
  at: { type: 'datetime' },
  uid: { type: 'ulid' },
  uuid: { type: 'uuid' },
  raw: { type: 'bytes' },
  data: { type: 'json', default: {} },
  next: { type: 'ref', ref: { entity: 'thing' } },
};
const product = productOf([
  entityOf('thing', fields, { traits: ['timestamps', 'versioned', 'soft_delete'] }),
  entityOf('total', { id: { type: 'string' }, name: { type: 'string' } }),
]);

/** Text that formats and spreadsheets make something of; CSV has no room for a NUL and for half a character. */
const tricky = fc.constantFrom(
  "'",
  "''",
  '=',
  '+49 170',
  '-1',
  '@',
  '\t',
  '\r',
  '\n',
  '\\N',
  '"',
  ',',
  'null',
  '＝',
  ' ',
);
const text = fc
  .array(fc.oneof(tricky, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 5 })
  .map((parts) => parts.join('').replaceAll('\0', ''));
/** Without the key that no body may have. */
const json = fc
  .jsonValue()
  .map(
    (value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '').replaceAll('__proto__', 'proto')) as unknown,
  );
const orNull = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of);
const when = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });
const things = fc.array(
  fc.record({
    phone: orNull(text),
    note: orNull(text),
    kind: orNull(fc.constantFrom('-a', '=b', 'c')),
    count: orNull(fc.oneof(fc.maxSafeInteger(), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String))),
    score: orNull(fc.double({ noNaN: true, noDefaultInfinity: true })),
    price: orNull(fc.integer().map((cents) => `${cents}.25`)),
    open: orNull(fc.boolean()),
    day: orNull(when.map((date) => date.toISOString().slice(0, 10))),
    at: orNull(when.map((date) => date.toISOString())),
    uid: orNull(fc.ulid()),
    uuid: orNull(fc.uuid()),
    raw: orNull(fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'))),
    data: orNull(json),
  }),
  { minLength: 1, maxLength: 8 },
);

async function load(tenant: DataTenant, format: string, body: string): Promise<void> {
  const { status, body: report } = await tenant.send('POST', `/data/bulk?entity=thing&format=${format}`, body);
  expect([status, report.errors]).toEqual([200, []]);
}

const exported = async (tenant: DataTenant, query: string): Promise<string> =>
  (await tenant.send('PATCH', `/data/bulk?entity=thing&${query}`)).body as string;

const own = `format=json&fields=${Object.keys(fields).join(',')}`;

describe.each(FORMATS)('%s', (format) => {
  test.each(['', '&escapeformulas=false'])('an export comes in again as it was %s', async (how) => {
    await fc.assert(
      fc.asyncProperty(things, async (rows) => {
        const given = rows.map((row, no) => ({ ...row, id: `'t${no}`, next: no === 0 ? null : `'t${no - 1}` }));
        const [from, to] = [await DataTenant.open(product), await DataTenant.open(product)];
        await load(from, 'json', JSON.stringify(given));
        const all = await exported(from, `format=${format}${how}`);
        await load(to, `${format}${how}`, all);
        expect(JSON.parse(await exported(to, own))).toEqual(JSON.parse(await exported(from, own)));
      }),
      { numRuns: 40 },
    );
  });
});

test('a formula is disarmed in the file, and only there', async () => {
  const tenant = await DataTenant.open(product);
  await load(tenant, 'json', JSON.stringify([{ id: 'a', phone: '+49 170', note: "'=1", data: '=1' }]));
  expect(await exported(tenant, 'format=csv&fields=phone,note,data,count')).toBe(
    'phone,note,data,count\r\n\'+49 170,\'\'=1,"""=1""",7\r\n',
  );
  await load(tenant, 'csv', "id,phone\r\nb,'+49 170\r\n");
  expect((await tenant.send('GET', '/data/rest/thing/id/b')).body.data[0].phone).toBe('+49 170');
});

test('what the service keeps comes with every export, and an import keeps it anew', async () => {
  const [from, to] = [await DataTenant.open(product), await DataTenant.open(product)];
  await load(from, 'json', '[{"id":"a"}]');
  await from.send('PATCH', '/data/rest/thing/id/a', { phone: '1' });
  to.clock.advance(60_000);
  await load(to, 'jsonl', await exported(from, 'format=jsonl'));
  const [before, after] = await Promise.all(
    [from, to].map(async (tenant) => (await tenant.send('GET', '/data/rest/thing/id/a')).body.data[0]),
  );
  expect([before.version, after.version, after.phone]).toEqual([2, 1, '1']);
  expect(after.created_at > before.created_at).toBe(true);
});

test('an export that ends at the default says so; one that its caller bounds does not', async () => {
  const tenant = await DataTenant.open(product);
  const rows = Array.from({ length: limits.data.exportRows + 1 }, (_, no) => ({ id: `r${no}` }));
  const report = await tenant.send('POST', '/data/bulk?entity=total', JSON.stringify(rows));
  expect(report.body.imported).toBe(rows.length);
  const sign = async (query: string): Promise<unknown> =>
    (await tenant.send('PATCH', `/data/bulk?entity=total&format=jsonl${query}`)).headers['X-Truncated'];
  expect([await sign(''), await sign('&limit=5'), await sign('&filter=id=r1'), await sign('&limit=20000')]).toEqual([
    'true',
    undefined,
    undefined,
    undefined,
  ]);
});

test.each(FORMATS)('a refused row of %s is named by its place among the rows, and by its line', async (format) => {
  const tenant = await DataTenant.open(product);
  const rows = [{ id: 'a' }, { id: 'b', count: 'x' }, { id: 'c' }, { id: 'd', open: 3 }];
  const body = {
    json: JSON.stringify(rows),
    jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join('\n'),
    csv: 'id,count,open,note\r\na,,,"x\ny"\r\nb,x,,\r\nc,,,\r\nd,,3,\r\n',
  }[format];
  const query = `/data/bulk?entity=thing&format=${format}&skiperrors=true&chunk=3`;
  const { imported, errors } = (await tenant.send('POST', query, body)).body;
  expect([imported, errors.map(({ row }: { row: number }) => row)]).toEqual([2, [2, 4]]);
  const lines = { json: [1, 1], jsonl: [3, 7], csv: [4, 6] }[format];
  expect(errors.map(({ line }: { line: number }) => line)).toEqual(lines);
});

test('data that cannot be read on is named by row and line', async () => {
  const tenant = await DataTenant.open(product);
  const broken = await tenant.send('POST', '/data/bulk?entity=thing', '[{"id":"a"},{"id":"b"} {"id":"c"}]');
  expect([broken.status, broken.body]).toMatchObject([400, { code: 'v2.bad_format', details: { line: 1, row: 3 } }]);
});
