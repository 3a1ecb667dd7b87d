/**
 * The native parts that Skep runs with on Linux x64, file by file: hash, libraries, symbols that it asks the system for, symbols that it gives. They are held against
 * native-parts.json, so that a new release of one is looked at: a part that suddenly asks for `execve` or `connect` is another part.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { readElf } from '#test/kit/elf.ts';

const LIST = join(ROOT, 'test/architecture/native-parts.json');
const GIVES_MAX = 1000;
const WRITES = process.env['SKEP_NATIVE_PARTS'] === 'write';
const isPlace = process.platform === 'linux' && process.arch === 'x64';
/** Of other systems, C libraries and releases of Node. */
const OTHERS = /musl|darwin|win32|arm|abi(?!127)|_(?:108|115|120|131|137|141)\.node$/;

interface Part {
  readonly version: string;
  readonly sha256: string;
  readonly needs: readonly string[];
  readonly asks: readonly string[];
  /** By name; those of C++, and of a part that gives thousands, by their number and the hash of their names. */
  readonly gives: readonly string[];
}

type Lock = Readonly<Record<string, { readonly version?: string; readonly dev?: boolean; readonly link?: boolean }>>;

/** Every file `.node` of a package that is no tool of development alone. */
function partsHere(): Record<string, Part> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Lock };
  const parts: Record<string, Part> = {};
  for (const [path, { version = '', dev, link }] of Object.entries(packages)) {
    const directory = join(ROOT, path);
    if (path === '' || dev === true || link === true || !path.startsWith('node_modules/') || !existsSync(directory))
      continue;
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => one.endsWith('.node') && !one.includes('node_modules/')).toSorted())
      if (!OTHERS.test(`${path}/${name}`)) {
        const bytes = readFileSync(join(directory, name));
        if (bytes.readUInt32BE(0) === 0x7f454c46)
          parts[`${path.slice('node_modules/'.length)}/${name}`] = partOf(version, bytes);
      }
  }
  return parts;
}

function partOf(version: string, bytes: Buffer): Part {
  const { needs, asks, gives } = readElf(bytes);
  const isListed = (name: string): boolean => !name.startsWith('_Z') && gives.length <= GIVES_MAX;
  const rest = gives.filter((name) => !isListed(name));
  const summed = rest.length === 0 ? [] : [`${rest.length} others, sha256:${hash('sha256', rest.join('\n'))}`];
  return {
    version,
    sha256: hash('sha256', bytes),
    needs,
    asks,
    gives: [...gives.filter(isListed), ...summed],
  };
}

const HOW =
  'Read the notes of its release, and what it asks for now; then write the list again (SKEP_NATIVE_PARTS=write npx vitest run test/architecture/native-parts.test.ts) and commit it with the bump.';

test.skipIf(!isPlace)('native parts are the ones that were looked at', () => {
  const here = partsHere();
  if (WRITES) writeFileSync(LIST, `${JSON.stringify(here, null, 2)}\n`);
  const listed = JSON.parse(readFileSync(LIST, 'utf8')) as Record<string, Part>;
  expect(Object.keys(here), `Native parts came or went. ${HOW}`).toEqual(Object.keys(listed));
  for (const [name, part] of Object.entries(here)) {
    const before = listed[name]!;
    const news = (now: readonly string[], then: readonly string[]): string[] =>
      now.filter((one) => !then.includes(one));
    expect(news(part.needs, before.needs), `${name} needs other libraries. ${HOW}`).toEqual([]);
    expect(news(part.asks, before.asks), `${name} asks the system for more. ${HOW}`).toEqual([]);
    expect(part, `${name} is another file. ${HOW}`).toEqual(before);
  }
});

test.skipIf(!isPlace)('the reader says what a known part is', () => {
  const name = Object.keys(partsHere()).find((one) => one.includes('lmdb'))!;
  const { needs, asks, gives } = readElf(readFileSync(join(ROOT, 'node_modules', name)));
  expect(needs).toContain('libc.so.6');
  expect(asks).toContain('fdatasync');
  expect(gives.some((one) => one.startsWith('napi_register_module') || one.includes('register'))).toBe(true);
  expect(() => readElf(Buffer.from('no file of this kind at all'))).toThrow('no ELF');
});
