/**
 * Programs that the kernel asks about each segment of TCP that comes to a socket: they answer how many of its bytes are taken, its header included; of what is left out the sender hears nothing, and sends it again. Linux (SO_ATTACH_FILTER),
 * allowed for any user. Connections inherit that of their listener when they are made.
 */
import { beginNative, endNative } from '#storage/native-guard.ts';

/** linux/filter.h, linux/bpf_common.h: classic BPF. */
export const LOAD_NUMBER = 0x00;
export const LOAD_LENGTH = 0x80;
export const LOAD_KEPT = 0x60;
export const LOAD_BYTE = 0x30;
export const LOAD_WORD_AT_X = 0x40;
export const LOAD_HALF_AT_X = 0x48;
export const LOAD_BYTE_AT_X = 0x50;
export const KEEP = 0x02;
export const KEPT_TO_X = 0x61;
export const AND = 0x54;
export const SHIFT_RIGHT = 0x74;
export const SUBTRACT = 0x14;
export const SUBTRACT_X = 0x1c;
export const COPY_TO_X = 0x07;
export const JUMP_EQUAL = 0x15;
export const JUMP_AT_LEAST = 0x35;
const JUMP = 0x05;
export const RETURN = 0x06;
export const RETURN_A = 0x16;
export const WHOLE = 0xffffffff;

interface Instruction {
  readonly code: number;
  readonly k: number;
  readonly yes?: string;
  readonly no?: string;
}

/** Instructions that jump to labels instead of distances. */
export class Program {
  readonly #instructions: Instruction[] = [];
  readonly #labels = new Map<string, number>();

  put(code: number, k = 0): void {
    this.#instructions.push({ code, k });
  }

  /** Goes on with the next instruction where no label is given. */
  jump(code: number, k: number, to: { readonly yes?: string; readonly no?: string }): void {
    this.#instructions.push({ code, k, ...to });
  }

  /** Jumps over any distance. */
  go(label: string): void {
    this.#instructions.push({ code: JUMP, k: 0, yes: label });
  }

  label(name: string): void {
    this.#labels.set(name, this.#instructions.length);
  }

  /** `struct sock_filter[]`. */
  bytes(): Buffer {
    const out = Buffer.alloc(8 * this.#instructions.length);
    const distance = (at: number, label: string | undefined): number =>
      label === undefined ? 0 : this.#labels.get(label)! - at - 1;
    for (const [at, { code, k, yes, no }] of this.#instructions.entries()) {
      out.writeUInt16LE(code, 8 * at);
      const isFar = code === JUMP;
      out.writeUInt8(isFar ? 0 : distance(at, yes), 8 * at + 2);
      out.writeUInt8(distance(at, no), 8 * at + 3);
      out.writeUInt32LE(isFar ? distance(at, yes) : k, 8 * at + 4);
    }
    return out;
  }
}

/** asm-generic/socket.h */
const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const PROGRAM_BYTES = 16;

type SetSocketOption = (fd: number, level: number, name: number, value: unknown, size: number) => number;

/** Gives sockets a program in the place of the one they have; false where the kernel refuses it. */
export type Attach = (fd: number, program: Buffer) => boolean;

/** Loads what attaches programs, which takes milliseconds the first time. */
export async function attaching(): Promise<Attach> {
  if (!beginNative()) return new Promise<never>(() => undefined);
  try {
    const { default: koffi } = await import('koffi');
    const struct = koffi.struct({ len: 'uint16_t', filter: 'uint8_t *' });
    const set = koffi
      .load('libc.so.6')
      .func('setsockopt', 'int', ['int', 'int', 'int', koffi.pointer(struct), 'uint']) as SetSocketOption;
    return (fd, filter) =>
      set(fd, SOL_SOCKET, SO_ATTACH_FILTER, { len: filter.length / 8, filter }, PROGRAM_BYTES) === 0;
  } finally {
    endNative();
  }
}
