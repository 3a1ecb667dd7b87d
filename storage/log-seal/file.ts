/**
 * A sealed file: `SKEPSEAL`, format (1 byte), number of the data key (4), salt (16), and pieces of 64 KiB, each with its tag behind it. The nonce of a piece is its number and whether it is the last one, so that pieces that
 * were swapped, repeated or cut off are noticed (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, CRYPTO 2015).
 */
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Pace } from '#storage/backup/pace.ts';
import { Corruption } from '#storage/fault.ts';
import { nonceOf, SALT_BYTES, TAG_BYTES, type LogSeal, type SealKey } from './seal.ts';

const MAGIC = Buffer.from('SKEPSEAL');
const FORMAT = 1;
const KEY_AT = MAGIC.length + 1;
const SALT_AT = KEY_AT + 4;
const HEAD_BYTES = SALT_AT + SALT_BYTES;
const PIECE_BYTES = 64 * 1024;
const LAST = 1;

export interface SealFile {
  readonly seal: LogSeal;
  readonly shard: number;
  readonly from: string;
  /** Is made, and is durable behind it. */
  readonly to: string;
  readonly pace: Pace;
}

export async function sealFile({ seal, shard, from, to, pace }: SealFile): Promise<void> {
  const key = seal.writer('copy', shard);
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head.writeUInt8(FORMAT, MAGIC.length);
  head.writeUInt32LE(key.no, KEY_AT);
  key.salt.copy(head, SALT_AT);
  await written(to, async (file) => {
    await file.writeFile(head);
    for await (const { no, piece, isLast } of piecesOf(from, 0, PIECE_BYTES, pace))
      for (const part of key.close(nonceOf(no, isLast ? LAST : 0), head, piece)) await file.writeFile(part);
  });
}

/** Whether a file is a sealed one. */
export async function isSealed(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return bytesRead === MAGIC.length && buffer.equals(MAGIC);
  } finally {
    await file.close();
  }
}

/** Rejects with Corruption where one bit differs, or the end is missing, and with EngineRefused where the vault lacks its key. */
export async function openSealedFile({ seal, shard, from, to, pace }: SealFile): Promise<void> {
  const head = await headOf(from);
  const no = head.readUInt32LE(KEY_AT);
  await seal.know([no]);
  const key: SealKey = seal.reader('copy', shard, no, head.subarray(SALT_AT));
  await written(to, async (file) => {
    for await (const { no: at, piece, isLast } of piecesOf(from, HEAD_BYTES, PIECE_BYTES + TAG_BYTES, pace)) {
      const end = piece.length - TAG_BYTES;
      const nonce = nonceOf(at, isLast ? LAST : 0);
      const plain = end < 0 ? null : key.open(nonce, head, piece.subarray(0, end), piece.subarray(end));
      if (plain === null) throw new Corruption(from, `its piece ${at} was changed, moved, or is not the last one`);
      await file.writeFile(plain);
    }
  });
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    if (bytesRead < HEAD_BYTES || !buffer.subarray(0, MAGIC.length).equals(MAGIC) || buffer[MAGIC.length] !== FORMAT)
      throw new Corruption(path, 'it is no sealed file of a format that is known here');
    return buffer;
  } finally {
    await file.close();
  }
}

interface Piece {
  readonly no: number;
  readonly piece: Buffer;
  readonly isLast: boolean;
}

/** Pieces of a file from `start` on, all but the last one of `bytes` each; one empty piece of an empty file. */
async function* piecesOf(path: string, start: number, bytes: number, pace: Pace): AsyncGenerator<Piece> {
  let no = 0;
  let held: Buffer = Buffer.alloc(0);
  for await (const read of createReadStream(path, { start, highWaterMark: bytes })) {
    held = held.length === 0 ? (read as Buffer) : Buffer.concat([held, read as Buffer]);
    // One byte more has to be there: only then it is known not to be the last piece.
    while (held.length > bytes) {
      yield { no: no++, piece: held.subarray(0, bytes), isLast: false };
      held = held.subarray(bytes);
    }
    pace.did(1);
    if (pace.over) await pace.rest();
  }
  yield { no, piece: held, isLast: true };
}

async function written(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
