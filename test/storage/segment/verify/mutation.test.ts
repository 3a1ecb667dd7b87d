/** Every byte of a small log, changed one at a time: verification must notice, and name the place. */
import { readFileSync, readdirSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { appendSome, byNode, placeOfLog } from '../kit.ts';

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesUnder(path) : entry.name === 'lock' ? [] : [path];
  });
}

test('no byte of segment, tile, bundle, checkpoint or manifest can be changed without notice', async () => {
  const place = placeOfLog();
  const log = await place.open({ bounds: { recordsMax: 3, bytesMax: 100_000 } });
  await appendSome(log, 3);
  await log.published(3);
  await appendSome(log, 4);
  await log.close();
  // The second implementation verifies the untouched log; the first, being fifteen times faster, the thousands of changed ones.
  const reader = readOnlyFiles(place.directory);
  expect(await verifyLog(reader, place.trust, 'directory')).toMatchObject({ verdict: 'good', size: 7 });
  const trust = { ...place.trust, verify: byNode };
  const paths = filesUnder(place.directory);
  const kinds = new Set(paths.map((path) => relative(place.directory, path).replaceAll(/\d+/g, 'n')));
  expect([...kinds].toSorted()).toEqual([
    'checkpoint',
    'segments/n.json',
    'segments/n.log',
    'tile/entries/n.p/n',
    'tile/n/n.p/n',
  ]);
  const unnoticed: string[] = [];
  const misnamed: string[] = [];
  for (const path of paths) {
    const name = relative(place.directory, path);
    const bytes = readFileSync(path);
    const { mode } = statSync(path);
    chmodSync(path, 0o600);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(path, changed);
      const { verdict, tampered } = await verifyLog(reader, trust, 'directory');
      if (verdict !== 'tampered') unnoticed.push(`${name}:${at}`);
      else if (tampered!.file !== name && !name.startsWith('segments/'))
        misnamed.push(`${name}:${at} ${tampered!.file}`);
    }
    writeFileSync(path, bytes);
    chmodSync(path, mode);
  }
  expect(unnoticed).toEqual([]);
  expect(misnamed).toEqual([]);
}, 120_000);
