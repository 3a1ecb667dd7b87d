/** A client for JSON over mTLS, whose certificate is in files that the platform file names. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';

export interface BadgeFiles {
  readonly ca?: string | undefined;
  readonly cert: string;
  readonly key: string;
}

export interface MtlsAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface MtlsBounds {
  /** The longest time and the most bytes of an answer. */
  readonly answerMs: number;
  readonly answerBytesMax: number;
}

export interface MtlsRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly body?: unknown;
}

/** A connection kept alive under one certificate. Throws, naming the key of the platform file, on a file that cannot be read. */
export function badgeAgent({ ca, cert, key }: BadgeFiles, where: string): Agent {
  const read = (file: string, name: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new Error(`${where}.${name}: cannot read ${file} (${code})`, { cause: error });
    }
  };
  const badge = {
    cert: read(cert, 'cert'),
    key: read(key, 'key'),
    ...(ca !== undefined && { ca: read(ca, 'ca') }),
  };
  return new Agent({ keepAlive: true, minVersion: 'TLSv1.3', ...badge });
}

/** Sends one request; rejects where no whole answer comes in time. */
export function askOver(agent: Agent, { method, url, body }: MtlsRequest, bounds: MtlsBounds): Promise<MtlsAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const settings = {
    method,
    agent,
    headers:
      text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
    signal: AbortSignal.timeout(bounds.answerMs),
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, settings, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > bounds.answerBytesMax) asked.destroy(new Error('its answer is too large'));
        else chunks.push(chunk);
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode!, json: jsonOf(Buffer.concat(chunks)) }));
    });
    asked.on('error', reject);
    asked.end(text);
  });
}

function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
