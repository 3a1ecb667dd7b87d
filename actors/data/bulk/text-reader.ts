/** Bytes of imported data as text: UTF-8 alone, without its byte order mark. Characters may be split between pieces. */
import { FormatFault } from './line.ts';

export class TextReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  /** The text of a piece. `line`: the line that a fault names. */
  read(bytes: Uint8Array, line: number): string {
    return this.#checked(() => this.#decoder.decode(bytes, { stream: true }), line);
  }

  end(line: number): string {
    return this.#checked(() => this.#decoder.decode(), line);
  }

  #checked(decode: () => string, line: number): string {
    let text: string;
    try {
      text = decode();
    } catch {
      throw new FormatFault(line, 'from here on the data is not valid UTF-8');
    }
    if (text.includes('\0')) throw new FormatFault(line, 'the data holds a NUL: send it as UTF-8, not as UTF-16');
    return text;
  }
}
