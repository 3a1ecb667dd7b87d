/** Tar archives written by hand, so that they can be wrong. */
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly path: string;
  readonly text?: string;
  /** Type flag; a file when absent. */
  readonly kind?: string;
  /** A size that the header says instead of the true one. */
  readonly size?: number;
}

const BLOCK = 512;

function header({ path, text = '', kind = '0', size = Buffer.byteLength(text) }: TarEntry): Buffer {
  const head = Buffer.alloc(BLOCK);
  head.write(path, 0, 100, 'utf8');
  head.write('0000644\0', 100);
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  head.write('        ', 148);
  head.write(kind, 156);
  head.write('ustar\x0000', 257, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const body = Buffer.from(entry.text ?? '');
    return [header(entry), body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

export const tarGzOf = (entries: readonly TarEntry[]): Buffer => gzipSync(tarOf(entries));
