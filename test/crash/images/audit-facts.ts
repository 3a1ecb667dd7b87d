/** Opens the audit logs of a data directory as their service does, and verifies them. */
import { createPublicKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyByNode } from '#actors/audit/key-port.ts';
import { LogBook } from '#actors/audit/log-book.ts';
import { LmdbHeads, openEnvironment } from '#actors/audit/store.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { keyFiles } from '#runtime/threads/key-files.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { segmentFirst } from '#storage/segment/manifest.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import type { Facts } from './facts.ts';
import { DEPLOYMENT, LOG, SEGMENT_RECORDS } from './site.ts';

const RAW_BYTES = 32;
/** Beside the logs: runtime/threads/audit-sealer.ts. */
const STATE = '.state';
const KEYS = 'audit/{tenant}/signing-key';
const silent = (): void => undefined;

/** Records of the tests, by their action. */
export async function auditFacts(dataDir: string, fault: (text: string) => void): Promise<Facts['records']> {
  const baseDir = join(dataDir, 'audit', 'logs');
  const keyDir = join(dataDir, 'audit', 'keys');
  const onFatal = (error: Error): void => fault(error.message);
  const environment = openEnvironment(join(baseDir, STATE), { onFatal });
  const bounds = { sealMs: 3_600_000, recordsMax: SEGMENT_RECORDS, bytesMax: 1024 * 1024, keepMs: null };
  const book = new LogBook({
    settings: {
      deployment: DEPLOYMENT,
      baseDir,
      vaultPathTemplate: KEYS,
      keyIdTemplate: null,
      routing: [{ pattern: '**', durability: 'strict', ...bounds }],
      sync: [],
    },
    keys: keyFiles(keyDir),
    heads: new LmdbHeads(environment),
    clock: systemClock,
    random: randomBytes,
    log: { info: silent, warn: (_fields, text) => fault(text), error: (_fields, text) => fault(text) },
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    onFatal,
    degraded: { report: ({ reason }) => fault(reason), clear: silent },
    witness: () => {
      throw new Error('there is no witness');
    },
  });
  const ids = book.ids();
  for (const id of ids) await book.open(id).catch((error: Error) => fault(`${id}: ${error.message}`));
  await book.close();
  const signed = ids.filter((id) => book.signedSize(id) > 0);
  await environment.close();
  for (const id of signed)
    await verified(book.directoryOf(id), join(keyDir, `${KEYS.replace('{tenant}', id)}.pub.pem`), fault);
  return ids.includes(LOG) ? recordsIn(book.directoryOf(LOG)) : [];
}

async function verified(directory: string, key: string, fault: (text: string) => void): Promise<void> {
  const der = createPublicKey(readFileSync(key)).export({ format: 'der', type: 'spki' });
  const trust = { publicKey: der.subarray(-RAW_BYTES), name: null, origin: null, verify: verifyByNode };
  const { verdict, unsigned, missing, tampered } = await verifyLog(readOnlyFiles(directory), trust, 'directory');
  if (verdict === 'good' && unsigned === 0) return;
  const what = tampered === null ? missing.join(', ') : `${tampered.file}: ${tampered.what}`;
  fault(`${directory} is ${verdict}, ${unsigned} unsigned: ${what}`);
}

async function recordsIn(directory: string): Promise<[string, number][]> {
  const files = readOnlyFiles(directory);
  const paths = (await files.names('segments')).map((name) => `segments/${name}`);
  const found: [string, number][] = [];
  for (const path of paths.toSorted().filter((one) => segmentFirst(one) !== null))
    for (const line of (await files.read(path))!.toString().split('\n').slice(0, -1)) {
      const { action, seq } = JSON.parse(line.slice(line.indexOf('{'))) as { action: string; seq: number };
      if (action.startsWith('test.')) found.push([action, seq]);
    }
  return found;
}
