/** Parts out of a place, each checked against its name before anything is made of it. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { BackupFault } from '#storage/backup/format.ts';
import { partName, type Decrypt } from './encryption.ts';
import { readLine, type ListedFile, type PartRef, type SetManifest } from './manifest.ts';
import { PartMissing, type BackupPlace } from './place.ts';

export interface Reading {
  readonly place: BackupPlace;
  readonly encryption: SetManifest['encryption'];
  /** Null where no identity was given. */
  readonly decrypt: Decrypt | null;
}

/**
 * The pieces of a part. Throws BackupFault, which names the part as `label` and by its digest, where it is missing or not what the set
 * names: at the end, so that what was made of the pieces counts only then.
 */
export async function* readPart(from: Reading, part: PartRef, label: string): AsyncGenerator<Uint8Array> {
  const name = `${from.place.where}: ${label} (part ${partName(part.sha256, from.encryption)})`;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of pieces(from, part, name)) {
    hash.update(piece);
    bytes += piece.length;
    if (bytes > part.bytes) break;
    yield piece;
  }
  if (bytes !== part.bytes || hash.digest('hex') !== part.sha256)
    throw new BackupFault(name, 'was altered: its bytes are not those that the set names; use another set');
}

async function* pieces(
  { place, encryption, decrypt }: Reading,
  part: PartRef,
  name: string,
): AsyncGenerator<Uint8Array> {
  if (encryption !== null && decrypt === null)
    throw new BackupFault(name, 'is encrypted: name the file with the identity of its recipient (--identity)');
  const stored = place.read(partName(part.sha256, encryption));
  try {
    yield* encryption === null ? stored : decrypt!(stored, name);
  } catch (error) {
    if (error instanceof PartMissing) throw new BackupFault(name, 'is missing: use another set');
    throw error;
  }
}

/**
 * The files of a list. Lists are never encrypted, since retention has to read them. Throws BackupFault as readPart does: at the end, so that what
 * was made of the files counts only then.
 */
export async function* readListPart(from: Reading, part: PartRef, label: string): AsyncGenerator<ListedFile> {
  let rest = '';
  for await (const piece of readPart({ ...from, encryption: null }, part, label)) {
    const lines = (rest + Buffer.from(piece).toString('latin1')).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const file = readLine(Buffer.from(line, 'latin1').toString());
      if (file === null)
        throw new BackupFault(
          `${from.place.where}: ${label} (part ${part.sha256})`,
          'was altered: it has a line that names no file; use another set',
        );
      yield file;
    }
  }
}

/** Writes a part into a new file, durable and checked when it resolves. */
export async function fetchPart(from: Reading, part: PartRef, label: string, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of readPart(from, part, label)) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}
