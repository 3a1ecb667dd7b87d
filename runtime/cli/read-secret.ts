/** A secret from standard input: all piped bytes, or one typed line that is not echoed. */
import { CliError, EXIT, type Terminal } from './terminal.ts';

/** The bytes as they came. Input at a terminal ends with Enter and is not echoed. */
export async function readSecret(what: string, terminal: Terminal): Promise<Buffer> {
  if (process.stdin.isTTY) return typed(what, terminal);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  for (const chunk of chunks) chunk.fill(0);
  return bytes;
}

const ENTER = new Set([0x0a, 0x0d]);
const END = 0x04; // Ctrl-D
const CANCEL = 0x03; // Ctrl-C
const RUB_OUT = new Set([0x08, 0x7f]);

/** In raw mode the terminal shows nothing of what is typed. */
async function typed(what: string, terminal: Terminal): Promise<Buffer> {
  const { stdin } = process;
  stdin.setRawMode(true); // before the prompt: an immediate answer is not echoed either
  terminal.err(`${what} (not shown): `);
  const line: number[] = [];
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      for (const byte of chunk) {
        if (byte === CANCEL) throw new CliError('skep: cancelled: nothing was read\n', EXIT.failure);
        if (byte === END || ENTER.has(byte)) return Buffer.from(line);
        if (RUB_OUT.has(byte)) rubOut(line);
        else line.push(byte);
      }
      chunk.fill(0);
    }
    return Buffer.from(line);
  } finally {
    line.fill(0);
    stdin.setRawMode(false);
    stdin.pause();
    terminal.err('\n');
  }
}

/** Removes one character, however many bytes of UTF-8 it has. */
function rubOut(line: number[]): void {
  while (line.length > 0 && (line.pop()! & 0xc0) === 0x80);
}
