import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedFiles } from '#runtime/describe/files.ts';
import { describedServices } from '#runtime/describe/services.ts';
import { doorRefusals } from '#runtime/door/refusals.ts';

const files = [...generatedFiles(describedServices(), doorRefusals)];

test.each(files)('%s is what the rows say (else: npm run generate)', (path, text) => {
  const file = new URL(`../../../${path}`, import.meta.url);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(text);
});
