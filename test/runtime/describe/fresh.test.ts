import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedFiles } from '#runtime/describe/files.ts';
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { routeDirectory } from '#runtime/route-directory.ts';

const files = [...(await generatedFiles(routeDirectory, doorRefusals))];

test.each(files)('%s is what the rows say (else: npm run generate)', (path, text) => {
  const file = new URL(`../../../${path}`, import.meta.url);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(text);
});
