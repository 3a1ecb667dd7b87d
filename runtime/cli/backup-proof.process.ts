/**
 * Restores a set into a scratch directory and proves it, in a process of its own: it opens stores with a second journal, and must not take a
 * node's memory. Started by runtime/backups/prove.ts, which writes a `ProofWish` to standard input; the answer is one line of JSON.
 */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { BackupFault } from '#storage/backup/format.ts';
import { decryptWith } from '#storage/backup-set/encryption.ts';
import { readManifest } from '#storage/backup-set/manifest.ts';
import { proveSet } from '#storage/backup-set/prove-set.ts';
import { restoreSet } from '#storage/backup-set/restore-set.ts';
import { placeOf } from '#runtime/backups/place-of.ts';
import type { ProofAnswer, ProofWish } from '#runtime/backups/prove.ts';
import { forbidCoreDumps } from '#runtime/threads/no-core-dump.ts';

/** What serves requests comes first. */
const LOWEST = 19;

async function prove({ platform, id, scratch }: ProofWish): Promise<void> {
  const place = placeOf(platform);
  const manifestText = await place.readSet(id);
  if (manifestText === null) throw new BackupFault(`${place.where}: set ${id}`, 'is not there');
  const manifest = readManifest(manifestText, id, place.where);
  const { identity } = platform.backups.encrypt;
  const decrypt = identity === undefined ? null : decryptWith(readFileSync(identity, 'utf8'));
  const from = { place, encryption: manifest.encryption, decrypt };
  try {
    await restoreSet({ manifest, from, into: scratch, told: () => undefined });
    await proveSet(manifest, from, scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

await forbidCoreDumps();
setPriority(LOWEST);
const wish = JSON.parse(await text(process.stdin)) as ProofWish;
const answer = await prove(wish).then(
  (): ProofAnswer => ({ proven: true }),
  (error: unknown): ProofAnswer => ({ fault: (error as Error).message }),
);
process.stdout.write(`${JSON.stringify(answer)}\n`);
