/** `npm run build`: bundles of every program in `dist/`. */
import { ROOT } from '../place.ts';
import { buildPrograms } from './build-programs.ts';

const began = performance.now();
const built = await buildPrograms(`${ROOT}dist`);
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(built ? `dist/ built in ${seconds} s` : 'dist/ holds these sources');
