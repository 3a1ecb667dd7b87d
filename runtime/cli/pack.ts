/** `npm run pack:release`: the package that npm installs, in `release/`. */
import { relative } from 'node:path';
import { ROOT } from '../place.ts';
import { packRelease } from './pack-release.ts';

const packed = await packRelease(`${ROOT}release`);
console.log(`${relative(ROOT, packed)} can be installed: npm install <its path>`);
