/** Has a set restored for proof, in a process of its own, under the data directory or where `backups.scratch` says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { programUrl } from '#runtime/place.ts';
import { WORK } from './place-of.ts';

export interface ProofWish {
  readonly platform: Pick<Platform, 'backups' | 'storage'>;
  readonly id: string;
  /** The directory to restore into; it is removed. */
  readonly scratch: string;
}

export type ProofAnswer = { readonly proven: true } | { readonly fault: string };

const PROCESS = fileURLToPath(programUrl('runtime/cli/backup-proof.process.ts'));

/** Whether the node can restore what it makes: an encrypted set needs an identity. */
export function canProve({ backups: { encrypt } }: Pick<Platform, 'backups'>): boolean {
  return encrypt.recipients.length === 0 || encrypt.identity !== undefined;
}

/** Throws an error for operators where the set cannot be restored, or is not what it says. `signal` ends the process. */
export async function prove(
  { backups, storage }: Pick<Platform, 'backups' | 'storage'>,
  { id, bytes }: { readonly id: string; readonly bytes: number },
  signal: AbortSignal,
): Promise<void> {
  const root = backups.scratch ?? join(storage.dir, WORK);
  const scratch = join(root, 'proof');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  await clearScratch(root);
  await assertRoom(root, bytes, storage.free_bytes_min);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS], {
    // As the launcher sets it: each commit of LMDB occupies a thread of the pool.
    env: { UV_THREADPOOL_SIZE: '64', ...process.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  try {
    const ended = once(child, 'close');
    child.stdin.on('error', () => undefined); // a process that has ended is reported below
    child.stdin.end(JSON.stringify({ platform: { backups, storage }, id, scratch } satisfies ProofWish));
    const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (said === '')
      throw new Error(
        `the process that restored set ${id} ended by ${child.signalCode ?? child.exitCode}: ${errors.slice(0, 500)}`,
      );
    const answer = JSON.parse(said) as ProofAnswer;
    if ('fault' in answer) throw new Error(answer.fault);
  } finally {
    await clearScratch(root);
  }
}

/** Removes what a proof that was ended has left. */
async function clearScratch(root: string): Promise<void> {
  if (!existsSync(root)) return;
  for (const name of await readdir(root))
    if (/^proof(?:\.[0-9a-f]{8}\.partial)?$/.test(name)) await rm(join(root, name), { recursive: true, force: true });
}

async function assertRoom(root: string, bytes: number, freeBytesMin: number): Promise<void> {
  const needed = limits.backup.proofRoomFactor * bytes + freeBytesMin;
  const { bavail, bsize } = await statfs(root);
  if (bavail * bsize >= needed) return;
  throw new Error(
    `a restore for proof needs ${needed} bytes free in ${root}, and ${bavail * bsize} are\n    name a directory on another disk: backups.scratch, or write backups.verify: off`,
  );
}
