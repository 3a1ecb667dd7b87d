/** A file of rows in parts: nothing is lost or changed at their edges, columns go to their fields, and lines are those of the file. */
import { expect, test } from 'vitest';
import { mapOf, mapped } from '#console/data/column-map.ts';
import { partsOf, type Part } from '#console/data/import-parts.ts';
import type { EntityDoc } from '#console/data/shapes.ts';
import { fc } from '#test/kit/property.ts';

const field = (name: string) => ({ name, type: 'string', required: false, nullable: true, read_only: false });
const ENTITY: EntityDoc = {
  name: 'part',
  primary_key: 'id',
  traits: [],
  operations: ['create'],
  fields: ['id', 'name', 'stock', 'sold_on'].map(field),
  relations: [],
};

/** A file whose text comes in pieces of this size. */
const inPieces = (text: string, size: number): Blob => {
  const bytes = new TextEncoder().encode(text);
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
  return { size: bytes.length, stream } as unknown as Blob;
};

const all = async (parts: AsyncIterable<Part>): Promise<Part[]> => {
  const found: Part[] = [];
  for await (const one of parts) found.push(one);
  return found;
};
const textsIn = (parts: readonly Part[]): string[] => parts.flatMap(({ rows }) => rows!.map(({ text }) => text));

test('CSV: rows with quotes, commas and lines in them come as they are, wherever it is cut', async () => {
  const cell = fc.oneof(
    fc.stringMatching(/^[a-zü0-9 ]{1,6}$/),
    fc
      .array(fc.constantFrom('"', ',', '\n', 'x', 'é'), { maxLength: 6 })
      .map((of) => `"${of.join('').replaceAll('"', '""')}"`),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { maxLength: 12 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      async (rows, size, most) => {
        const lines = rows.map((cells) => cells.join());
        const file = inPieces(`\uFEFFname,stock\r\n${lines.join('\r\n')}`, size);
        const parts = await all(partsOf(file, 'csv', ['name', 'stock'], { rows: most, chars: 1000 }));
        expect(textsIn(parts)).toEqual(lines);
        expect(parts.every(({ rows: of, head }) => of!.length <= most && head === 'name,stock\n')).toBe(true);
        const breaks = (text: string): number => text.split('\n').length - 1;
        let line = 2;
        for (const [at, { line: found }] of parts.flatMap(({ rows: of }) => of!).entries()) {
          expect(found).toBe(line);
          line += 1 + breaks(lines[at]!);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('CSV: columns go to their fields, others are left out, and a row with too few or too many cells stays one', async () => {
  const file = inPieces('Name;colour;Sold on\n"a;b";red;2020\nc, d;blue;\ne;f\n;;\n', 5);
  const map = mapOf(['Name', 'colour', 'Sold on'], ENTITY);
  expect(map).toEqual(['name', null, 'sold_on']);
  const [part, ...more] = await all(partsOf(file, 'csv', map));
  expect(more).toEqual([]);
  expect(part!.body).toBe('name,sold_on\n"a;b",2020\n"c, d",\ne,f,\n,');
});

test('a field is filled by one column', () => {
  expect(mapOf(['NAME', 'name', 'id', 'id'], ENTITY)).toEqual([null, 'name', 'id', null]);
  expect(mapped(['name', null, 'id'], 1, 'name')).toEqual([null, 'name', 'id']);
  expect(mapped(['name', null, 'id'], 0, null)).toEqual([null, null, 'id']);
});

test('JSON lines: empty ones are none, and lines are those of the file', async () => {
  const file = inPieces('{"a":1}\n\n{"a":"é"}\r\n  \n{"a":3}', 3);
  const parts = await all(partsOf(file, 'jsonl', [], { rows: 2, chars: 1000 }));
  expect(parts.map(({ rows }) => rows!.map(({ text, line }) => [text.trim(), line]))).toEqual([
    [
      ['{"a":1}', 1],
      ['{"a":"é"}', 3],
    ],
    [['{"a":3}', 5]],
  ]);
});

test('a JSON list is one part', async () => {
  const file = new Blob(['[1,2]']);
  expect(await all(partsOf(file, 'json', []))).toEqual([{ body: file, rows: null, head: '', bytes: 5 }]);
});
