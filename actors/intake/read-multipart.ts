/**
 * Reads multipart/form-data (RFC 7578) with busboy, in memory: the door has bounded the body. Every part is read as bytes, so that a text that is not
 * UTF-8 is refused and not repaired. The parser is loaded by the first such body.
 */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bodyText } from '#actors/kit/json.ts';
import type { Body } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { BodyLimits, Input } from './input.ts';
import { refuse } from './refusals.ts';
import type { StoredFile } from './submission.ts';

interface Part {
  readonly name: string;
  /** Undefined for a part without a file name: a text. */
  readonly fileName: string | undefined;
  readonly transferEncoding: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Encodings of RFC 7578 §4.7 that change no byte; the others are deprecated. */
const IDENTITIES = new Set(['7bit', '8bit', 'binary']);

/** The members of a body, or 400 for one that is broken, has too many parts or a text that is not UTF-8. */
export async function readMultipart(
  contentType: string,
  body: Body,
  limits: BodyLimits,
): Promise<Input | Refusal<'intake.bad_request'>> {
  let parts: readonly Part[];
  try {
    parts = await partsOf(contentType, typeof body === 'string' ? Buffer.from(body, 'latin1') : body, limits);
  } catch (error) {
    return bad((error as Error).message);
  }
  if (parts.filter(({ fileName }) => fileName === undefined).length > limits.fieldsMax)
    return bad(`more than ${limits.fieldsMax} fields`);
  return inputOf(parts);
}

async function partsOf(contentType: string, body: Uint8Array, { partsMax, bodyBytesMax }: BodyLimits): Promise<Part[]> {
  const { Busboy } = await import('@fastify/busboy');
  const parser = new Busboy({
    headers: { 'content-type': contentType },
    isPartAFile: () => true,
    limits: { files: partsMax, fileSize: bodyBytesMax },
  });
  const parts: Promise<Part>[] = [];
  let tooMany = false;
  let nameless = false;
  parser.on('filesLimit', () => (tooMany = true));
  // The library's types promise a name, but a part may have none.
  parser.on('file', (name: string | undefined, stream, fileName, transferEncoding, type) => {
    if (name === undefined || name === '') {
      nameless = true;
      // A body that is cut off is an error of this part as well, and without a listener it would end the thread.
      stream.on('error', () => undefined);
      stream.resume();
      return;
    }
    const part = bytesOf(stream).then((bytes) => ({ name, fileName, transferEncoding, contentType: type, bytes }));
    // A truncated body rejects the parts as well, before they are awaited: an unhandled rejection would end the thread.
    part.catch(() => undefined);
    parts.push(part);
  });
  await pipeline(Readable.from([body]), parser);
  if (nameless) throw new Error('a part has no name');
  if (tooMany) throw new Error(`more than ${partsMax} parts`);
  return Promise.all(parts);
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function inputOf(parts: readonly Part[]): Input | Refusal<'intake.bad_request'> {
  const values = Object.create(null) as Record<string, unknown>;
  const repeated = new Set<string>();
  for (const part of parts) {
    const value = valueOf(part);
    if (value === null) return bad(`the part ${JSON.stringify(part.name)} is not valid UTF-8`);
    if (!IDENTITIES.has(part.transferEncoding.toLowerCase())) return bad('a part has a content transfer encoding');
    if (part.name in values) repeated.add(part.name);
    values[part.name] = value;
  }
  return { values, asText: true, repeated };
}

/** The value of a part: a browser sends an empty name and no bytes for an input without a chosen file, which counts as no value. */
function valueOf({ fileName, contentType, bytes }: Part): string | StoredFile | null {
  if (fileName === undefined) return bodyText(bytes);
  if (fileName === '' && bytes.length === 0) return '';
  const sha256 = hash('sha256', bytes, 'hex');
  return { name: fileName, content_type: contentType, size: bytes.length, sha256, base64: bytes.toString('base64') };
}

function bad(message: string): Refusal<'intake.bad_request'> {
  return refuse('intake.bad_request', { message });
}
