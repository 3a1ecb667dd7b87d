/** `npm run generate`: writes OpenAPI and the route and refusal pages from the rows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from '#runtime/describe/files.ts';
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { routeDirectory } from '#runtime/route-directory.ts';

for (const [path, text] of await generatedFiles(routeDirectory, doorRefusals)) {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(path);
}
