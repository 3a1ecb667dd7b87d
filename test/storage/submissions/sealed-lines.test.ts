/** Lines of a sealed log: nothing of a submission is in what is written, and what was changed, moved, or is plain behind the mark is told. */
import { expect, it, test } from 'vitest';
import { Corruption } from '#storage/fault.ts';
import { GENESIS, sealLine } from '#storage/log/chain.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { NewLine } from '#storage/submissions/change.ts';
import { assertNamed, lineHash, LineReader, LineWriter, type SealedRow } from '#storage/submissions/sealed-lines.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';

const START = { seq: 0, chain: GENESIS };
const seal = sealOf(vaultOf(1));

const lineOf = (id: string, more: Partial<NewLine> = {}): NewLine => ({
  id,
  form: 'contact',
  at: 1000,
  key: `planted-key-${id}`,
  digest: `planted digest ${id}`,
  body: `{"id":"${id}","fields":{"name":"planted"}}`,
  ...more,
});

/** Rows of lines as one writer writes them. */
function rowsOf(by: LogSeal | null, lines: readonly NewLine[], after = START): SealedRow[] {
  const written = new LineWriter(by).write(lines, after);
  return written.map(({ bytes, ...line }, at) => ({ ...line, body: bytes, seq: after.seq + 1 + at }));
}

const markAt = (seq: number): Buffer => new LineWriter(seal).mark(seq)!;

async function read(by: LogSeal | null, mark: Buffer | null, row: SealedRow) {
  const reader = new LineReader(by, mark);
  await reader.know([row]);
  return { body: reader.body(row), use: typeof row.key === 'string' ? reader.use(row) : null };
}

it('a line has its content, its key and its digest back, and what is written says nothing of them', async () => {
  const lines = [lineOf('a'), lineOf('b', { key: null, digest: null })];
  const rows = rowsOf(seal, lines);
  const stored = rows.flatMap(({ key, body }) => [Buffer.from(key ?? ''), Buffer.from(key ?? '', 'base64'), body!]);
  expect(Buffer.concat(stored).includes('planted')).toBe(false);
  expect(rows.map(({ digest }) => digest)).toEqual([null, null]);
  expect(await read(seal, markAt(1), rows[0]!)).toEqual({
    body: lines[0]!.body,
    use: [lines[0]!.key, lines[0]!.digest],
  });
  expect(await read(seal, markAt(1), rows[1]!)).toEqual({ body: lines[1]!.body, use: null });
});

it('a hash confirms no guess: the same content has another one each time', () => {
  const hashes = Array.from({ length: 20 }, () => new LineWriter(seal).write([lineOf('a')], START)[0]!.hash);
  expect(new Set(hashes).size).toBe(20);
  expect(hashes).not.toContain(sealLine(lineOf('a').body, GENESIS).hash);
});

it('plain lines are as before, and sealed ones go on with their chain', () => {
  const [plain] = new LineWriter(null).write([lineOf('a')], START);
  expect(plain).toMatchObject({ key: 'planted-key-a', hash: sealLine(lineOf('a').body, GENESIS).hash });
  const written = new LineWriter(seal).write([lineOf('b'), lineOf('c')], { seq: 1, chain: plain!.hash });
  let prev = GENESIS;
  for (const { bytes, hash } of [plain!, ...written]) expect(hash).toBe((prev = lineHash(bytes, prev)));
  expect(lineHash(written[1]!.bytes, plain!.hash)).not.toBe(written[1]!.hash);
});

test.each<[string, Partial<SealedRow>]>([
  ['in another place', { seq: 2 }],
  ['of another id', { id: 'b' }],
  ['of another form', { form: 'other' }],
  ['of another time', { at: 1001 }],
  ['with the content of another line', { body: rowsOf(seal, [lineOf('b')])[0]!.body! }],
  ['with the key of another line', { key: rowsOf(seal, [lineOf('b')])[0]!.key! }],
  ['with a key in the place of its content', { body: Buffer.from(rowsOf(seal, [lineOf('a')])[0]!.key!, 'base64') }],
  ['whose key is no sealed one', { key: 'x' }],
])('a row %s is damaged', async (_what, changed) => {
  const [row] = rowsOf(seal, [lineOf('a')]);
  await expect(read(seal, markAt(1), { ...row!, ...changed })).rejects.toThrow(Corruption);
});

it('a plain line is read before the mark, and refused behind it, content and key alike', async () => {
  const [plain] = rowsOf(null, [lineOf('a')]);
  for (const mark of [null, markAt(2)])
    expect(await read(seal, mark, plain!)).toEqual({
      body: lineOf('a').body,
      use: ['planted-key-a', 'planted digest a'],
    });
  const [sealed] = rowsOf(seal, [lineOf('a')]);
  const { body, ...use } = plain!;
  for (const forged of [plain!, { ...sealed!, body: body! }, { ...use, body: sealed!.body! }])
    await expect(read(seal, markAt(1), forged)).rejects.toThrow('is not sealed');
  // What is gone says nothing.
  expect(await read(seal, markAt(1), { ...sealed!, body: null, key: null })).toEqual({ body: null, use: null });
});

it('a mark that was changed, or is of another log, is refused', async () => {
  const [row] = rowsOf(seal, [lineOf('a')]);
  const changed = markAt(1);
  changed[changed.length - 1]! ^= 1;
  const other = new LineWriter(sealOf(vaultOf(1), { log: 'other' })).mark(1);
  for (const mark of [changed, other, Buffer.from('9'), row!.body!])
    await expect(read(seal, mark, row!)).rejects.toThrow('seal_mark');
});

it('a store that is sealed is not read without keys, nor with those of another vault', async () => {
  const [row] = rowsOf(seal, [lineOf('a')]);
  expect(() => assertNamed(null, markAt(1))).toThrow('storage.journal.seal');
  assertNamed(seal, markAt(1));
  assertNamed(null, null);
  expect(new LineWriter(null).mark(1)).toBeNull();
  await expect(read(null, null, row!)).rejects.toThrow('storage.journal.seal');
  await expect(read(sealOf(vaultOf(2)), markAt(1), row!)).rejects.toThrow('no such key');
  const another = sealOf(new Map([[1, Buffer.alloc(32, 9)]]));
  await expect(read(another, null, row!)).rejects.toThrow('sealed by another key');
  const both = sealOf(vaultOf(1), { vault: vaultOf(1, 2) });
  const [later] = rowsOf(sealOf(vaultOf(1, 2)), [lineOf('a')]);
  expect((await read(both, markAt(1), later!)).body).toBe(lineOf('a').body);
});
