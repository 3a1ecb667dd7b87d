/** `npm run build:site`: the documentation as a site, in `site/`, which `skep docs` serves. */
import { SITE } from '#runtime/site/site-files.ts';
import { buildSite } from './build-site.ts';

await buildSite(SITE);
console.log('site/ is built: runtime/cli/skep docs serves it');
