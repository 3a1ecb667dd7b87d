/** Every byte of a small log, changed one at a time: verification must notice, and name the place. */
import { generateKeyPairSync, hash, randomInt, sign } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { cosignatureLine, cosignedMessage } from '#storage/segment/note.ts';
import type { Trust } from '#storage/segment/verify/trust.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { isLongRun } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { appendSome, byNode, placeOfLog, type LogPlace } from '../kit.ts';

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesUnder(path) : entry.name === 'lock' ? [] : [path];
  });
}

/** Each byte of the small logs; in `npm test` one of four, from another one on in each run. */
const STEP = isLongRun ? 1 : 4;
/** Bytes changed in each file of the large log. */
const CHANGED_OF_LARGE = 100;

/** Changes bytes of every file, one at a time, and gives those that verification did not notice and those for which it blamed another file. */
async function mutate(place: LogPlace, trust: Trust, stepOf: (bytes: number) => number) {
  const reader = readOnlyFiles(place.directory);
  const unnoticed: string[] = [];
  const misnamed: string[] = [];
  let changes = 0;
  for (const path of filesUnder(place.directory)) {
    const name = relative(place.directory, path);
    const bytes = readFileSync(path);
    const { mode } = statSync(path);
    chmodSync(path, 0o600);
    const step = stepOf(bytes.length);
    for (let at = randomInt(step); at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(path, changed);
      changes++;
      const { verdict, tampered } = await verifyLog(reader, trust, 'directory');
      if (verdict !== 'tampered') unnoticed.push(`${name}:${at}`);
      else if (tampered!.file !== name && !name.startsWith('segments/'))
        misnamed.push(`${name}:${at} ${tampered!.file}`);
    }
    writeFileSync(path, bytes);
    chmodSync(path, mode);
  }
  tally({ damages: changes });
  return { unnoticed, misnamed };
}

function kindsIn(place: LogPlace): string[] {
  const names = filesUnder(place.directory).map((path) => relative(place.directory, path));
  return [...new Set(names.map((name) => name.replace(/[0-9a-f]{64}/, 'h').replaceAll(/\d+/g, 'n')))].toSorted();
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
  expect(kindsIn(place)).toEqual([
    'checkpoint',
    'segments/n.json',
    'segments/n.log',
    'tile/entries/n.p/n',
    'tile/n/n.p/n',
  ]);
  const { unnoticed, misnamed } = await mutate(place, { ...place.trust, verify: byNode }, () => STEP);
  expect(unnoticed).toEqual([]);
  expect(misnamed).toEqual([]);
}, 120_000);

test('nor of what a witness has cosigned, and of data beside its record', async () => {
  const place = placeOfLog();
  const log = await place.open();
  const blob = 'data that was too large';
  const sha256 = hash('sha256', blob, 'hex');
  await log.files.save([[`blob/${sha256}`, Buffer.from(blob)]]);
  await log.append([Buffer.from(JSON.stringify({ data_sha256: sha256, seq: 0, v: 1 }))], 'strict');
  await log.published(1);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const witness = {
    name: 'witness.example/1',
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  };
  const [text] = log.head!.note.split('\n\n');
  const line = cosignatureLine(witness, 1, sign(null, cosignedMessage(`${text}\n`, 1), privateKey));
  await log.files.save([['cosigned', Buffer.from(log.head!.note + line)]]);
  await log.close();
  const trust = { ...place.trust, witness, verify: byNode };
  expect(await verifyLog(readOnlyFiles(place.directory), trust, 'directory')).toMatchObject({
    verdict: 'good',
    size: 1,
  });
  expect(kindsIn(place)).toEqual(expect.arrayContaining(['blob/h', 'cosigned']));
  expect(await mutate(place, trust, () => STEP)).toEqual({ unnoticed: [], misnamed: [] });
}, 120_000);

test('nor of full tiles and bundles, over several segments', async () => {
  const place = placeOfLog();
  const log = await place.open({ bounds: { recordsMax: 100, bytesMax: 100_000 } });
  await appendSome(log, 300);
  await log.close();
  expect(kindsIn(place)).toEqual(expect.arrayContaining(['tile/entries/n', 'tile/n/n']));
  const { unnoticed, misnamed } = await mutate(place, { ...place.trust, verify: byNode }, (bytes) =>
    Math.max(1, Math.floor(bytes / CHANGED_OF_LARGE)),
  );
  expect({ unnoticed, misnamed }).toEqual({ unnoticed: [], misnamed: [] });
}, 120_000);
