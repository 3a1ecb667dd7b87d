/** A multipart body, part by part, in bounded memory (RFC 7578). Parsing is the library's; the bounds are ours. */
import type { Readable } from 'node:stream';
import type { Busboy, BusboyInstance } from '@fastify/busboy';
import { limits } from '#config/limits.ts';

/** The body is not multipart, or exceeds a bound. */
export class MultipartFault extends Error {}

export class FileTooLarge extends MultipartFault {}

export interface PartReader {
  field(name: string, text: string): void;
  /** Reads the whole file; its stream waits for the reader. */
  file(name: string, content: Readable, filename: string, contentType: string): Promise<void>;
}

/** Reads all parts in order; how many there were. Throws MultipartFault, or what the reader throws: nothing is read after that. */
export async function readParts(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  reader: PartReader,
  fileBytesMax: number = limits.multipart.fileBytesMax,
): Promise<number> {
  const { Busboy: Parser } = await import('@fastify/busboy');
  return new Parts(parserOf(Parser, contentType, fileBytesMax), reader, fileBytesMax).read(body);
}

function parserOf(Parser: typeof Busboy, contentType: string, fileBytesMax: number): BusboyInstance {
  const { partsMax, partHeaderBytesMax, partHeadersMax, textBytesMax } = limits.multipart;
  try {
    return new Parser({
      headers: { 'content-type': contentType },
      // A piece that its reader has not taken stops the body at once: two waiting pieces would be joined, which copies both.
      fileHwm: 1,
      limits: {
        parts: partsMax,
        headerPairs: partHeadersMax,
        headerSize: partHeaderBytesMax,
        fieldSize: textBytesMax,
        fileSize: fileBytesMax,
      },
    });
  } catch (error) {
    throw new MultipartFault((error as Error).message);
  }
}

class Parts {
  readonly #parser: BusboyInstance;
  readonly #reader: PartReader;
  readonly #fileBytesMax: number;
  #fault: Error | null = null;
  /** Ends the wait of the moment. */
  #interrupt: ((fault: Error) => void) | null = null;
  readonly #files: Promise<void>[] = [];
  readonly #contents: Readable[] = [];
  /** Watched from the start: a body with its end in front of parts ends the parser before all of it is written. */
  readonly #finished: Promise<void>;
  #count = 0;
  #textBytes = 0;

  constructor(parser: BusboyInstance, reader: PartReader, fileBytesMax: number) {
    this.#parser = parser;
    this.#fileBytesMax = fileBytesMax;
    this.#reader = reader;
    const fault = (message: string) => () => this.#fail(new MultipartFault(message));
    this.#finished = new Promise((resolve) => void parser.on('finish', () => resolve()));
    parser.on('error', (error) => fault((error as Error).message)());
    parser.on('partsLimit', fault(`at most ${limits.multipart.partsMax} parts`));
    parser.on('field', (name, text, nameCut, textCut) => this.#field(name, text, nameCut || textCut));
    parser.on('file', (name, content, filename, _encoding, type) => this.#file(name, content, filename, type));
  }

  async read(body: AsyncIterable<Uint8Array>): Promise<number> {
    try {
      return await this.#readAll(body);
    } catch (error) {
      // Reads of files that are still open fail here, and release their files before the error goes on.
      for (const content of this.#contents) content.destroy(new MultipartFault('the body was not read to its end'));
      await Promise.allSettled(this.#files);
      throw error;
    }
  }

  async #readAll(body: AsyncIterable<Uint8Array>): Promise<number> {
    for await (const bytes of body) await this.#before(this.#write(bytes));
    this.#parser.end();
    await this.#before(this.#finished);
    await this.#before(Promise.all(this.#files));
    return this.#count;
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => void this.#parser.write(bytes, () => resolve()));
  }

  /**
   * Waits for `work`; throws the first fault when it comes before. No race against a promise that lives as long as the body: it would
   * keep something of every piece until the end.
   */
  async #before(work: Promise<unknown>): Promise<void> {
    if (this.#fault !== null) throw this.#fault;
    await new Promise((resolve, reject) => {
      this.#interrupt = reject;
      work.then(resolve, reject);
    });
  }

  #field(name: string | undefined, text: string, cut: boolean): void {
    this.#count++;
    this.#textBytes += Buffer.byteLength(text);
    const { textBytesMax } = limits.multipart;
    if (name === undefined || name === '') this.#fail(new MultipartFault('a part has no name'));
    else if (cut || this.#textBytes > textBytesMax)
      this.#fail(new MultipartFault(`text parts may have ${textBytesMax} bytes in all`));
    else this.#guard(() => this.#reader.field(name, text));
  }

  #file(name: string | undefined, content: Readable, filename: string | undefined, type: string): void {
    this.#count++;
    content.on('limit', () => this.#fail(new FileTooLarge(`a file may have ${this.#fileBytesMax} bytes`)));
    // A body that is cut off is an error of the part as well, which its reader meets, too; without a listener it would end the thread.
    content.on('error', () => undefined);
    if (name === undefined || name === '') {
      content.resume();
      this.#fail(new MultipartFault('a part has no name'));
      return;
    }
    this.#contents.push(content);
    const read = this.#reader.file(name, content, filename ?? '', type);
    this.#files.push(read);
    read.catch((error: unknown) => {
      content.resume();
      this.#fail(error);
    });
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#fault ??= error instanceof Error ? error : new Error(String(error));
    this.#interrupt?.(this.#fault);
  }
}
