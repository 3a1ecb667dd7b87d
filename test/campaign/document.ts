/** `npm run campaign:document`: docs/reliability.md out of docs/reliability.json and docs/planted.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#runtime/place.ts';
import type { PlantedRecord } from '#test/planted/planted.ts';
import { reliabilityPage } from './page.ts';
import { recordOf } from './record.ts';

try {
  const record = recordOf(readFileSync(join(ROOT, 'docs/reliability.json'), 'utf8'));
  const planted = JSON.parse(readFileSync(join(ROOT, 'docs/planted.json'), 'utf8')) as PlantedRecord;
  writeFileSync(join(ROOT, 'docs/reliability.md'), reliabilityPage(record, planted));
  process.stdout.write('docs/reliability.md written\n');
} catch (error) {
  process.stderr.write(`campaign:document: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
