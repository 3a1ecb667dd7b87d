/** A product checkout as one file: a tar archive (POSIX.1-2017, pax, "ustar Interchange Format"), gzipped or not. Pure; the archive is untrusted input. */
import { gunzipSync } from 'node:zlib';
import { limits } from '#config/limits.ts';

export interface ArchiveFile {
  /** Relative, with `/`: no `..`, no empty segment, no link on the way. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** A file where it lies in an archive that is not gzipped. */
export interface PlacedFile extends ArchiveFile {
  readonly at: number;
}

const BLOCK = 512;
const GZIP = Buffer.from([0x1f, 0x8b]);
const ROOT_FILE = 'product.yaml';

/** The files of an archive, relative to the directory that holds `product.yaml`: its top or one first directory. Throws, naming the fault. */
export function readArchive(packed: Buffer): ArchiveFile[] {
  const files = [...entriesOf(unzipped(packed))];
  // An archive may also have a product.yaml in a directory, such as an entity's, and that one may come first.
  const root =
    files.find(({ path }) => path === ROOT_FILE) ??
    files.find(({ path }) => path.split('/').slice(1).join('/') === ROOT_FILE);
  if (root === undefined)
    throw new Error(`the archive has no ${ROOT_FILE}, neither at its top nor in a first directory`);
  const prefix = root.path.slice(0, -ROOT_FILE.length);
  const inside = files.filter(({ path }) => path.startsWith(prefix));
  return inside.map(({ path, bytes }) => ({ path: path.slice(prefix.length), bytes }));
}

/** The files of an archive of `writeArchive`, with where their bytes begin. */
export function placesOf(archive: Buffer): PlacedFile[] {
  return [...entriesOf(archive)];
}

function unzipped(packed: Buffer): Buffer {
  if (!packed.subarray(0, GZIP.length).equals(GZIP)) return packed;
  try {
    return gunzipSync(packed, { maxOutputLength: limits.product.unpackedBytesMax });
  } catch (error) {
    throw new Error(`the archive does not unzip: ${(error as Error).message}`, { cause: error });
  }
}

function* entriesOf(tar: Buffer): Generator<PlacedFile> {
  const seen = new Set<string>();
  let longPath: string | null = null;
  for (let at = 0; at + BLOCK <= tar.length;) {
    const head = tar.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) return;
    const { kind, size, path } = headerOf(head);
    const bytes = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (bytes.length < size) throw new Error('the archive ends within a file');
    const from = at + BLOCK;
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (kind === 'x') longPath = paxPath(bytes);
    else if (kind === 'L') longPath = textOf(bytes);
    else {
      if (kind === '0') yield { ...fileOf(longPath ?? path, bytes, seen), at: from };
      longPath = null;
    }
  }
  throw new Error('the archive has no end');
}

function fileOf(path: string, bytes: Buffer, seen: Set<string>): ArchiveFile {
  const clean = path.startsWith('./') ? path.slice(2) : path;
  const segments = clean.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..') || /[\\\0]/.test(clean))
    throw new Error(`the archive has a path that leads elsewhere: ${JSON.stringify(path)}`);
  if (seen.has(clean)) throw new Error(`the archive has ${clean} twice`);
  seen.add(clean);
  if (seen.size > limits.product.filesMax)
    throw new Error(`the archive has more than ${limits.product.filesMax} files`);
  return { path: clean, bytes: Buffer.from(bytes) };
}

interface Header {
  /** `0` a file, `5` a directory, `x` and `g` pax records, `L` a long name of GNU tar. */
  readonly kind: string;
  readonly size: number;
  readonly path: string;
}

function headerOf(head: Buffer): Header {
  if (octal(head, 148, 8) !== checksum(head)) throw new Error('this is no tar archive, or it is damaged');
  const kind = head[156] === 0 ? '0' : String.fromCharCode(head[156]!);
  if (!'05xgL'.includes(kind))
    throw new Error(`the archive has an entry that is no file and no directory (type ${kind})`);
  const prefix = head.toString('latin1', 257, 262) === 'ustar' && head[263] === 0x30 ? textAt(head, 345, 155) : '';
  const name = textAt(head, 0, 100);
  return { kind, size: kind === '5' ? 0 : octal(head, 124, 12), path: prefix === '' ? name : `${prefix}/${name}` };
}

/** Sum of the header's bytes, its own field counted as blanks. */
function checksum(head: Buffer): number {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 0x20 : head[i]!;
  return sum;
}

function octal(head: Buffer, at: number, length: number): number {
  const text = textAt(head, at, length).trim();
  if (!/^[0-7]+$/.test(text)) throw new Error('this is no tar archive, or it is damaged');
  return Number.parseInt(text, 8);
}

const textAt = (head: Buffer, at: number, length: number): string => textOf(head.subarray(at, at + length));

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** The `path` of pax records (`<length> <key>=<value>\n` each), or null. */
function paxPath(bytes: Buffer): string | null {
  let path: string | null = null;
  for (let at = 0; at < bytes.length;) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 20), 10);
    if (!(length > 3) || at + length > bytes.length) throw new Error('the archive has a damaged pax record');
    const record = bytes.toString('utf8', at, at + length - 1);
    const value = record.slice(record.indexOf(' ') + 1);
    if (value.startsWith('path=')) path = value.slice('path='.length);
    at += length;
  }
  return path;
}

/** A tar archive that depends only on the paths and bytes of its files: sorted, without times and owners, not gzipped. */
export function writeArchive(files: readonly ArchiveFile[]): Buffer {
  const pieces = files
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
    .flatMap(({ path, bytes }) => [...pathRecord(path), header('0', bytes.length, path), bytes, padding(bytes.length)]);
  return Buffer.concat([...pieces, Buffer.alloc(2 * BLOCK)]);
}

const NAME_BYTES = 100;

/** A pax record for a path that does not fit into a header; readers prefer it to the header's path. */
function pathRecord(path: string): Buffer[] {
  if (Buffer.byteLength(path) <= NAME_BYTES && /^[\x20-\x7e]*$/.test(path)) return [];
  const tail = Buffer.from(` path=${path}\n`);
  let length = tail.length + 1;
  while (String(length).length + tail.length !== length) length = String(length).length + tail.length;
  const record = Buffer.concat([Buffer.from(String(length)), tail]);
  return [header('x', record.length, 'path'), record, padding(record.length)];
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

function header(kind: '0' | 'x', size: number, path: string): Buffer {
  const head = Buffer.alloc(BLOCK);
  Buffer.from(path).copy(head, 0, 0, NAME_BYTES);
  head.write('0000644\0', 100, 'latin1');
  head.write('0000000\0', 108, 'latin1');
  head.write('0000000\0', 116, 'latin1');
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  head.write('00000000000\0', 136, 'latin1');
  head.write(kind, 156, 'latin1');
  head.write('ustar\0', 257, 'latin1');
  head.write('00', 263, 'latin1');
  head.write(`${checksum(head).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}
