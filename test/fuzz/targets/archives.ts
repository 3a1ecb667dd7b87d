/** Archives and backups that operators bring in, and records of stores. Check sums are mended after each change, so that what they cover is read. */
import { createHash, hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll } from 'vitest';
import { tarGzOf, tarOf } from '#test/kit/tar.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must, unless } from './must.ts';

const BLOCK = 512;
const FILES = [
  { path: 'product.yaml', text: 'name: shop\n' },
  { path: 'entities/', kind: '5' },
  { path: 'entities/item.yaml', text: 'entities: {}\n' },
  { path: 'path', kind: 'x', text: '22 path=entities/a.yaml\n'.slice(0, 24) },
  { path: 'short', text: 'x' },
];

/** The archive with the check sums of its headers as they must be. */
function summed(tar: Buffer): Buffer {
  const out = Buffer.from(tar);
  for (let at = 0; at + BLOCK <= out.length;) {
    const head = out.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) break;
    head.fill(0x20, 148, 156);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const size = Number.parseInt(head.toString('latin1', 124, 136), 8) || 0;
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return out;
}

export async function tarTarget(): Promise<Target> {
  const { readArchive, writeArchive } = await import('#runtime/product-archive.ts');
  const { limits } = await import('#config/limits.ts');
  const isDeclared = (error: unknown): boolean =>
    error instanceof Error && error.name === 'Error' && /archive/.test(error.message);
  const read = (bytes: Buffer): void => {
    const files = unless(isDeclared, () => readArchive(bytes));
    if (files === undefined) return;
    must(files.length <= limits.product.filesMax, 'too many files');
    for (const { path } of files)
      must(!/^\/|(?:^|\/)\.\.?(?:\/|$)|\0|\\/.test(path) && path !== '', `the path ${path}`);
    const again = readArchive(writeArchive(files));
    must(again.length === files.length, 'another archive');
    for (const { path, bytes: content } of again)
      must(files.find((file) => file.path === path)?.bytes.equals(content) === true, `${path} is another file`);
  };
  return {
    name: 'tar',
    form: 'bytes',
    covers: ['/runtime/product-archive.ts'],
    seeds: [
      tarOf(FILES),
      tarGzOf(FILES),
      tarOf([
        { path: 'x', kind: 'L', text: 'shop/product.yaml\0' },
        { path: 'short', text: 'name: a\n' },
      ]),
    ],
    words: [
      'ustar\x0000',
      '0',
      '5',
      'x',
      'g',
      'L',
      '../',
      '/',
      '\0',
      'path=',
      'product.yaml',
      '77777777777\0',
      '\x1f\x8b',
      '17 path=../a.yaml\n',
    ],
    bytesMax: 32_768,
    // A gzipped archive is larger inside.
    stepsMax: linear(200_000, 60),
    run: (input) => {
      read(input);
      read(summed(input));
    },
  };
}

const FRAME_HEAD = 9;
const MAGIC = 'skep tenant backup\n';

/** A backup whose frames and whose end fit what lies in them. */
function framed(bytes: Buffer): Buffer {
  const out = Buffer.from(bytes);
  let at = MAGIC.length;
  while (at + FRAME_HEAD <= out.length) {
    const payload = out.subarray(at + FRAME_HEAD, at + FRAME_HEAD + out.readUInt32LE(at));
    out.writeUInt32LE(crc32(payload, crc32(out.subarray(at + 8, at + 9))), at + 4);
    const isLast = out[at + 8] === 6;
    at += FRAME_HEAD + payload.length;
    if (isLast) break;
  }
  const body = out.subarray(0, Math.min(at, out.length));
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

export async function backupTarget(): Promise<Target> {
  const { readBackup } = await import('#storage/backup/read-backup.ts');
  const { BackupFault } = await import('#storage/backup/format.ts');
  const { backupOf, blobsOf, HEADER, put, useOf } = await import('#test/storage/backup/kit.ts');
  const { MemoryStore } = await import('#test/storage/memory.ts');
  const { readManifest, readLine } = await import('#storage/backup-set/manifest.ts');
  const { readFileSync } = await import('node:fs');
  const directory = mkdtempSync(join(tmpdir(), 'skep-inputs-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const store = new MemoryStore();
  put(store, [
    ['\x00\x01a', 'one'],
    ['\x00\x01b', 'two'],
    ['\x00\x02', 'x'.repeat(100)],
    [useOf('file'), ''],
  ]);
  const seed = readFileSync(await backupOf(store.snapshot(), await blobsOf(['file']), directory, HEADER));
  const path = join(directory, 'hostile.skep');
  const isDeclared = (error: unknown): boolean => error instanceof BackupFault;
  const read = async (bytes: Buffer): Promise<void> => {
    writeFileSync(path, bytes);
    try {
      let parts = 0;
      for await (const part of readBackup(path)) if (part.kind !== 'header') parts++;
      must(parts <= bytes.length, 'more parts than bytes');
    } catch (error) {
      if (!isDeclared(error)) throw error;
    }
  };
  const id = '2026-11-27T12-00-00.000Z';
  return {
    name: 'backup',
    costs: 3,
    form: 'bytes',
    covers: ['/storage/backup/', '/storage/backup-set/'],
    seeds: [
      seed,
      '{"format":1,"id":"2026-11-27T12-00-00.000Z","tenants":[]}\n',
      '{"sha256":"' + 'a'.repeat(64) + '","bytes":5,"path":"a/b"}',
    ],
    words: [
      '\x01',
      '\x02',
      '\x03',
      '\x04',
      '\x05',
      '\x06',
      '\x07',
      '{"format":1',
      '"sha256":',
      '"size":',
      '"table":',
      '"entries":',
      'null',
      '[]',
      '../',
      '\xff\xff\xff\xff',
    ],
    bytesMax: 32_768,
    stepsMax: linear(6000, 30),
    waits: true,
    run: async (input) => {
      await read(input);
      if (input.length > MAGIC.length) await read(framed(input));
      const text = input.toString();
      const sealed = `${text}sha256:${hash('sha256', text)}\n`;
      unless(
        (error) => isDeclared(error) || error instanceof SyntaxError,
        () => readManifest(sealed, id, 'here'),
      );
      const file = readLine(text);
      if (file?.path !== undefined) must(!file.path.startsWith('/') && !file.path.split('/').includes('..'), file.path);
    },
  };
}

/** Records as they lie in stores: one whose check sum does not fit is damage, and what was written is read. */
export async function recordTarget(): Promise<Target> {
  const { decodeRecord, encodeRecord, seal } = await import('#storage/record.ts');
  const { Corruption } = await import('#storage/fault.ts');
  const { recordAt, RecordBuffer } = await import('#storage/journal/record.ts');
  const identity = { epoch: 3, seed: 77 };
  const records = new RecordBuffer(identity);
  records.append(1, 0, 2, [
    { key: 'a', value: Buffer.from('x') },
    { key: 'b', value: null },
  ]);
  records.append(2, 1, 2, [{ key: 'c', value: Buffer.alloc(40, 1) }]);
  const journal = Buffer.from(records.bytes.subarray(0, records.length));
  return {
    name: 'record',
    form: 'bytes',
    covers: ['/storage/record.ts', '/storage/journal/record.ts', '/node_modules/msgpackr/'],
    seeds: [
      encodeRecord(1, { id: 'a', n: 1.5, list: [1, null, true, 'x'], bytes: Buffer.from('b') }),
      encodeRecord(1, { deep: { er: [{ a: -1 }, 2 ** 40, 'ä'.repeat(40)] } }),
      journal,
    ],
    words: [
      '\xc0',
      '\xdf\xff\xff\xff\xff',
      '\xdd\xff\xff\xff\xff',
      '\xdb\xff\xff\xff\xff',
      '\xc7\xff',
      '\xd4\x72',
      '\xd6\xff',
      '\x81\xa9__proto__',
      '\xcb\x7f\xf8',
    ],
    bytesMax: 8192,
    stepsMax: linear(2000, 60),
    run: (input) => {
      unless(
        (error) => error instanceof Corruption,
        () => decodeRecord(input, 'here'),
      );
      const found = recordAt(input, 0, identity);
      if (found !== null) must(journal.includes(found.payload), 'a record that was never written');
      // A good check sum over other bytes: msgpackr says that they are none, or gives a value that it writes and reads again.
      let value: unknown;
      try {
        value = decodeRecord(seal(1, input.subarray(5)), 'here');
      } catch {
        return;
      }
      const again = decodeRecord(encodeRecord(1, value), 'here');
      must(isSame(again, value), 'another value');
    },
  };
}

/** By what msgpack can hold: NaN is itself, and undefined is kept. */
function isSame(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || JSON.stringify(a) === JSON.stringify(b);
}
