/** Whether each tenant of the platform file has a young backup among files that the operator names: no node remembers where its backups went. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BackupFault, type BackupHeader } from '#storage/backup/format.ts';
import { readBackup } from '#storage/backup/read-backup.ts';
import { fault, ok, warning, type Finding } from '#runtime/doctor/finding.ts';

export interface BackupWish {
  /** A backup, or a folder of backups; null: none was named. */
  readonly place: string | null;
  readonly ageMsMax: number;
}

const CHECK = 'backup';
const HOUR_MS = 60 * 60 * 1000;
const MEND = 'skep tenant backup -f <file> <tenant> --to <file>, or copy the whole directory of the stopped node';

/** Reads the header of each file: `skep tenant restore` verifies the whole. Throws where the place cannot be read. */
export async function examineBackups(
  tenants: readonly string[],
  { place, ageMsMax }: BackupWish,
  nowMs: number,
): Promise<Finding[]> {
  if (place === null)
    return [warning(CHECK, 'none was looked at: no place was named', `name it with --backups; to make one: ${MEND}`)];
  const newest = new Map<string, number>();
  for (const header of await headersIn(place)) {
    const madeMs = Date.parse(header.made_at);
    newest.set(header.tenant, Math.max(newest.get(header.tenant) ?? 0, madeMs));
  }
  return tenants.map((tenant) => {
    const madeMs = newest.get(tenant);
    if (madeMs === undefined) return fault(CHECK, `${tenant}: none in ${place}`, MEND);
    const detail = `${tenant}: the newest is ${hours(nowMs - madeMs)} h old`;
    return nowMs - madeMs <= ageMsMax ? ok(CHECK, detail) : fault(CHECK, `${detail}, not ${hours(ageMsMax)} h`, MEND);
  });
}

async function headersIn(place: string): Promise<BackupHeader[]> {
  const isFolder = statSync(place).isDirectory();
  const paths = isFolder ? readdirSync(place).map((name) => join(place, name)) : [place];
  const found = await Promise.all(paths.filter((path) => statSync(path).isFile()).map(headerOf));
  return found.filter((header) => header !== null);
}

/** Null for a file that is no backup, or none that this version reads. */
async function headerOf(path: string): Promise<BackupHeader | null> {
  try {
    for await (const part of readBackup(path)) return part.kind === 'header' ? part.header : null;
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
  }
  return null;
}

const hours = (ms: number): string => (ms / HOUR_MS).toFixed(1);
