/**
 * A piece of a log: entries of one shard, as they stood in it. `SKEPHIST`, format (1 byte), shard (4), position of the first entry (8), chain of the entry before it (16); then of each entry its epoch, number of
 * its first record, instant (8 each), length of its body (4), and the body. Numbers are little endian. Positions and chains of the entries follow from what is before them.
 */
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { limits } from '#config/limits.ts';
import type { LogPlace } from '../applied.ts';
import { Corruption } from '../fault.ts';
import { chained } from '#storage/log-engine/chain.ts';
import type { LogEntry } from '#storage/log-engine/port.ts';
import type { PieceName } from '#storage/shard-copy/piece-name.ts';

const MAGIC = Buffer.from('SKEPHIST');
const FORMAT = 1;
const SHARD_AT = MAGIC.length + 1;
const FROM_AT = SHARD_AT + 4;
const CHAIN_AT = FROM_AT + 8;
const CHAIN_BYTES = 16;
const HEAD_BYTES = CHAIN_AT + CHAIN_BYTES;
const ENTRY_HEAD_BYTES = 28;

/** Writes a piece into a file that is made. */
export class PieceWriter {
  readonly #file: FileHandle;
  bytes = HEAD_BYTES;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** `before`: the entry before the first one. */
  static async create(path: string, shard: number, before: LogPlace): Promise<PieceWriter> {
    const file = await open(path, 'wx', 0o600);
    const head = Buffer.alloc(HEAD_BYTES);
    MAGIC.copy(head);
    head.writeUInt8(FORMAT, MAGIC.length);
    head.writeUInt32LE(shard, SHARD_AT);
    head.writeBigUInt64LE(BigInt(before.seq + 1), FROM_AT);
    head.write(before.chain, CHAIN_AT, 'hex');
    await file.writeFile(head);
    return new PieceWriter(file);
  }

  /** They follow what was added before: the caller compares chains. */
  async add(entries: readonly LogEntry[]): Promise<void> {
    const parts = entries.flatMap((entry) => [headOf(entry), entry.body]);
    const bytes = Buffer.concat(parts);
    this.bytes += bytes.length;
    await this.#file.writeFile(bytes);
  }

  /** The file is durable behind it. */
  async end(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
  }

  async drop(): Promise<void> {
    await this.#file.close();
  }
}

function headOf({ epoch, first, time, body }: LogEntry): Buffer {
  const head = Buffer.alloc(ENTRY_HEAD_BYTES);
  head.writeBigUInt64LE(BigInt(epoch), 0);
  head.writeBigUInt64LE(BigInt(first), 8);
  head.writeBigUInt64LE(BigInt(time), 16);
  head.writeUInt32LE(body.length, 24);
  return head;
}

/** The entries of a piece, in groups. `where` is its name for people. Throws Corruption where the file is not the piece that `name` says. */
export async function* readPiece(path: string, name: PieceName, where: string): AsyncGenerator<LogEntry[]> {
  let held: Buffer = Buffer.alloc(0);
  let at: LogPlace | null = null;
  for await (const read of createReadStream(path, { highWaterMark: limits.storage.historyReadBytes })) {
    held = held.length === 0 ? (read as Buffer) : Buffer.concat([held, read as Buffer]);
    if (at === null) {
      if (held.length < HEAD_BYTES) continue;
      at = beginOf(held, name, where);
      held = held.subarray(HEAD_BYTES);
    }
    const taken = entriesIn(held, name.shard, at);
    held = held.subarray(taken.bytes);
    const last = taken.entries.at(-1);
    if (last === undefined) continue;
    at = { seq: last.seq, chain: last.chain };
    yield taken.entries;
  }
  if (at === null || held.length > 0 || at.seq !== name.to || at.chain !== name.chain)
    throw new Corruption(where, 'it does not end at the entry that its name says');
}

/** The entry before the first one. */
function beginOf(head: Buffer, { shard, from }: PieceName, where: string): LogPlace {
  if (!head.subarray(0, MAGIC.length).equals(MAGIC) || head[MAGIC.length] !== FORMAT)
    throw new Corruption(where, 'it is no piece of a log of a format that is known here');
  if (head.readUInt32LE(SHARD_AT) !== shard || head.readBigUInt64LE(FROM_AT) !== BigInt(from))
    throw new Corruption(where, 'it is of another shard, or begins at another entry than its name says');
  return { seq: from - 1, chain: head.toString('hex', CHAIN_AT, HEAD_BYTES) };
}

/** Those that are there wholly, and how many bytes they take. */
function entriesIn(bytes: Buffer, shard: number, before: LogPlace): { entries: LogEntry[]; bytes: number } {
  const entries: LogEntry[] = [];
  let { seq, chain } = before;
  let at = 0;
  while (at + ENTRY_HEAD_BYTES <= bytes.length) {
    const bodyAt = at + ENTRY_HEAD_BYTES;
    const end = bodyAt + bytes.readUInt32LE(at + 24);
    if (end > bytes.length) break;
    const [epoch, first, time] = [0, 8, 16].map((more) => Number(bytes.readBigUInt64LE(at + more))) as [
      number,
      number,
      number,
    ];
    seq++;
    const entry = chained(chain, { shard, epoch, seq, confirmed: 0, first, time, body: bytes.subarray(bodyAt, end) });
    chain = entry.chain;
    entries.push(entry);
    at = end;
  }
  return { entries, bytes: at };
}
