/** `npm run image`: the package and the image of a node, in `release/`. */
import { relative } from 'node:path';
import { ROOT } from '../place.ts';
import { buildImage } from './build-image.ts';

const { archive, name } = await buildImage(`${ROOT}release`);
console.log(`${relative(ROOT, archive)} can be loaded as ${name}: podman load -i <its path>`);
