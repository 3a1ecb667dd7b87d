/**
 * Files of a log that never change again, as gzip: members of at most 65,280 bytes of content, each with its length in its head (RFC 1952 §2.2, §2.3.1.1; the subfield is that of BGZF, SAMv1 §4.1), so that
 * a reader takes one after the other without a search, and `gunzip` takes the whole. Every byte of a head is known, and content is held against its CRC and length: what a member yields is what was
 * packed. The one thing that no reader sees is a changed bit in the padding behind the compressed bytes, which changes no content.
 */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** Incompressible content and its head still fit the length, which has two bytes. */
export const PIECE_BYTES = 0xff00;
/** The ending of a packed file's name. */
export const PACKED = '.gz';

const HEAD = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0]);
const HEAD_BYTES = HEAD.length + 2;
const END_BYTES = 8;
const LEVEL = 1;

/** One member. Throws RangeError for more content than one holds. */
export function packPiece(content: Uint8Array): Buffer {
  if (content.length > PIECE_BYTES) throw new RangeError(`a piece of ${content.length} bytes`);
  const body = deflateRawSync(content, { level: LEVEL });
  const head = Buffer.alloc(HEAD_BYTES);
  HEAD.copy(head);
  head.writeUInt16LE(HEAD_BYTES + body.length + END_BYTES - 1, HEAD.length);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(crc32(content), 0);
  end.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, body, end]);
}

/** Bytes of the member that begins at `at`; null where none does, or its head is cut off. */
export function memberBytes(bytes: Uint8Array, at: number): number | null {
  if (at + HEAD_BYTES > bytes.length) return null;
  for (let i = 0; i < HEAD.length; i++) if (bytes[at + i] !== HEAD[i]) return null;
  const length = (bytes[at + HEAD.length]! | (bytes[at + HEAD.length + 1]! << 8)) + 1;
  return length < HEAD_BYTES + END_BYTES ? null : length;
}

/** The most that a member takes. */
export const MEMBER_BYTES_MAX = 0x10000;

/** The content of one whole member; null where it is not as it was packed. */
export function unpackMember(member: Uint8Array): Buffer | null {
  const bytes = Buffer.from(member.buffer, member.byteOffset, member.length);
  const end = bytes.length - END_BYTES;
  const content = inflated(bytes.subarray(HEAD_BYTES, end));
  if (content === null || content.length !== bytes.readUInt32LE(end + 4)) return null;
  return crc32(content) === bytes.readUInt32LE(end) ? content : null;
}

/** What was packed, up to the first member that is not as it was packed: what is missing then is noticed as it is in a file that was cut. At most `bytesMax`. */
export function unpack(bytes: Uint8Array, bytesMax: number): Buffer {
  const pieces: Buffer[] = [];
  let total = 0;
  for (let at = 0; at < bytes.length;) {
    const length = memberBytes(bytes, at);
    if (length === null || at + length > bytes.length) break;
    const piece = unpackMember(bytes.subarray(at, at + length));
    if (piece === null || total + piece.length > bytesMax) break;
    pieces.push(piece);
    total += piece.length;
    at += length;
  }
  return Buffer.concat(pieces);
}

function inflated(body: Uint8Array): Buffer | null {
  try {
    const { buffer, engine } = inflateRawSync(body, {
      maxOutputLength: PIECE_BYTES,
      info: true,
    }) as unknown as Inflated;
    // Bytes behind the end of the compressed ones are none of a member's.
    return engine.bytesWritten === body.length ? buffer : null;
  } catch {
    return null;
  }
}

interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten`: how much of the input was taken. */
  readonly engine: { readonly bytesWritten: number };
}
