/** A file becomes a packed one beside it, piece by piece, and a packed one is read: what is held of it at once is one piece. */
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { limits } from '#config/limits.ts';
import { MEMBER_BYTES_MAX, memberBytes, PACKED, packPiece, PIECE_BYTES, unpack, unpackMember } from './packed.ts';

const { unpackedBytesMax } = limits.audit;

/** Writes `<path>.gz`, synced; the caller syncs the directory and removes the plain file. Where `breath` rejects nothing is left of it. */
export async function packFile(path: string, mode: number, breath: () => Promise<void>): Promise<void> {
  const draft = `${path}${PACKED}.tmp`;
  await rm(draft, { force: true });
  const from = await open(path, 'r');
  try {
    const to = await open(draft, 'wx', mode);
    try {
      await packInto(from, to, breath);
      await to.sync();
    } finally {
      await to.close();
    }
    await rename(draft, path + PACKED);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await from.close();
  }
}

async function packInto(from: FileHandle, to: FileHandle, breath: () => Promise<void>): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; ;) {
    const length = await fill(from, piece, at);
    if (length === 0) return;
    const member = packPiece(piece.subarray(0, length));
    for (let done = 0; done < member.length;) done += (await to.write(member, done)).bytesWritten;
    at += length;
    await breath();
  }
}

/** Reads until the buffer is full or the file ends; how much was read. */
async function fill(file: FileHandle, into: Buffer, from: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const { bytesRead } = await file.read(into, done, into.length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** What was packed of a file; null where there is no packed form of it. */
export async function readPacked(path: string): Promise<Buffer | null> {
  const bytes = await readFile(path + PACKED).catch(absent);
  return bytes === null ? null : unpack(bytes, unpackedBytesMax);
}

/** The content of a file, plain or packed, in pieces; null where there is neither. What of a packed one is not as it was packed, and all behind it, is left out. */
export async function piecesOf(path: string, bytesMax: number): Promise<AsyncGenerator<Buffer> | null> {
  const plain = await open(path).catch(absent);
  if (plain !== null) return plainPieces(plain, bytesMax);
  const packed = await open(path + PACKED).catch(absent);
  return packed === null ? null : packedPieces(packed);
}

async function* plainPieces(file: FileHandle, bytesMax: number): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(bytesMax);
  try {
    for (let at = 0; ;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

async function* packedPieces(file: FileHandle): AsyncGenerator<Buffer> {
  const member = Buffer.allocUnsafe(MEMBER_BYTES_MAX);
  try {
    for (let at = 0; ;) {
      const held = await fill(file, member, at);
      const length = memberBytes(member.subarray(0, held), 0);
      if (length === null || length > held) return;
      const piece = unpackMember(member.subarray(0, length));
      if (piece === null) return;
      yield piece;
      at += length;
    }
  } finally {
    await file.close();
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
