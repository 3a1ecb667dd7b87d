/** `skep audit rotate-key`: gives a log of a stopped node a new signing key; old and new keys are files. */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { logKey } from '#actors/audit/key-port.ts';
import { LogBook } from '#actors/audit/log-book.ts';
import { isLogId } from '#actors/audit/log-id.ts';
import { rotateKey, type KeyRotation } from '#actors/audit/rotate-key.ts';
import { LmdbHeads, openEnvironment, openFiles } from '#actors/audit/store.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Platform } from '#config/platform.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { auditSettings } from '#runtime/threads/audit-settings.ts';
import { keyFiles } from '#runtime/threads/key-files.ts';
import { witnessPeer } from '#runtime/threads/witness-peer.ts';
import { syncDirectory } from '#storage/directory.ts';
import { lockDirectory } from '#storage/lock.ts';
import { CliError, EXIT } from './terminal.ts';

/** Safe to repeat after an interruption: the new key is made once, and replaces the old one last. */
export async function auditRotateKey(platform: Platform, logId: string): Promise<KeyRotation> {
  const settings = auditSettings(platform);
  const path = settings.vaultPathTemplate.replaceAll('{tenant}', logId);
  const file = join(platform.audit.key_dir, `${path}.pem`);
  if (!isLogId(logId))
    throw new CliError(`skep: "${logId}" is not a log id\n    for example tenant/acme/atlas/dev/main\n`, EXIT.usage);
  if (platform.audit.backend.kind !== 'files')
    throw new CliError(
      `skep: the records of ${logId} lie in the database, and every node on the log has its key\n    a log with audit.backend.kind: ${platform.audit.backend.kind} keeps its key\n`,
    );
  if (!existsSync(file))
    throw new CliError(
      `skep: ${file} does not exist\n    a log whose key lies in a vault keeps it: only key files are rotated\n`,
    );
  const lock = await lockDirectory(platform.storage.dir);
  try {
    return await rotate(platform, settings, logId, { path, file });
  } finally {
    lock.release();
  }
}

async function rotate(
  platform: Platform,
  settings: ReturnType<typeof auditSettings>,
  logId: string,
  { path, file }: { readonly path: string; readonly file: string },
): Promise<KeyRotation> {
  const onFatal = (error: Error): never => {
    throw error;
  };
  const environment = openEnvironment(join(settings.baseDir, '.state'), { onFatal });
  const keys = keyFiles(platform.audit.key_dir);
  const book = new LogBook({
    settings,
    keys,
    heads: new LmdbHeads(environment),
    clock: systemClock,
    random: randomBytes,
    log: threadLogger(platform, 'audit'),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    onFatal,
    degraded: { report: () => undefined, clear: () => undefined },
    witness: witnessPeer,
  });
  try {
    const { verifier } = (await book.identityOf(logId)).key;
    const next = await logKey(keys, `${path}.next`, verifier.name);
    const rotation = await rotateKey(book, openFiles(book.directoryOf(logId)), logId, next);
    replace(file);
    return rotation;
  } finally {
    await book.close();
    await environment.close();
  }
}

/** Overwrites the old private key; its public key stays with verifiers and in the log. */
function replace(file: string): void {
  const stem = file.replace(/\.pem$/, '');
  renameSync(`${stem}.next.pem`, file);
  renameSync(`${stem}.next.pub.pem`, `${stem}.pub.pem`);
  syncDirectory(dirname(file));
}
