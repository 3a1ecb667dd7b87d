/** A file that goes part by part: what is told of it, how it is stopped, and how it goes on. */
import { expect, test } from 'vitest';
import type { Part } from '#console/data/import-parts.ts';
import { ImportRun } from '#console/data/import-run.ts';

async function* three(): AsyncGenerator<Part, void, undefined> {
  for (const no of [0, 1, 2]) {
    const rows = [0, 1].map((at) => ({ text: `${no}-${at}`, line: 10 * no + at }));
    yield { body: '', rows, head: 'name\n', bytes: no + 1 };
  }
}
const fine = (imported: number) => ({ imported, errors: [], omitted: 0 });

test('refused rows are named by their place in the file, with what was sent', async () => {
  const run = new ImportRun(three(), (_, no) =>
    Promise.resolve({ ...fine(1), errors: [{ row: 2, line: 3, error: `bad ${no}` }], omitted: no }),
  );
  const so = await run.go(() => true);
  expect(so).toMatchObject({ taken: 3, omitted: 3, bytes: 3, isOver: true, halt: null, head: 'name\n' });
  expect(so.refused).toEqual([
    { row: 2, line: 1, error: 'bad 0', text: '0-1' },
    { row: 4, line: 11, error: 'bad 1', text: '1-1' },
    { row: 6, line: 21, error: 'bad 2', text: '2-1' },
  ]);
});

test('a reader stops it between two parts, and it goes on with the next', async () => {
  const sent: number[] = [];
  const run = new ImportRun(three(), (_, no) => {
    sent.push(no);
    return Promise.resolve(fine(2));
  });
  expect(await run.go(() => sent.length < 1)).toMatchObject({ taken: 2, isOver: false, halt: null });
  expect(await run.go(() => true)).toMatchObject({ taken: 6, isOver: true });
  expect(sent).toEqual([0, 1, 2]);
});

test('a part that was not answered is sent again under its number', async () => {
  const sent: number[] = [];
  const run = new ImportRun(three(), (_, no) => {
    sent.push(no);
    return sent.length === 2 ? Promise.reject(new Error('gone')) : Promise.resolve(fine(2));
  });
  const so = await run.go(() => true);
  expect([so.taken, so.isOver, so.halt?.message]).toEqual([2, false, 'gone']);
  expect(await run.go(() => true)).toMatchObject({ taken: 6, isOver: true, halt: null });
  expect(sent).toEqual([0, 1, 1, 2]);
});
