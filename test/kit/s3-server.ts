/** An S3-speaking server of one bucket: it checks SigV4 signatures by itself, and refuses what is not signed, and to make buckets. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Kept {
  readonly bytes: Buffer;
  readonly at: Date;
}

export interface S3Server {
  readonly port: number;
  readonly objects: Map<string, Kept>;
  /** Requests whose signature did not hold, and tries to make a bucket. */
  readonly refused: string[];
  stop(): Promise<void>;
}

export const S3_KEYS = { access: 'AKIATEST', secret: 'test-secret' };
const PAGE = 2;

/** `port`: the one of a server that has stopped; a free one when left out. */
export async function startS3(bucket = 'media', { port = 0 } = {}): Promise<S3Server> {
  const objects = new Map<string, Kept>();
  const uploads = new Map<string, Buffer[]>();
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void collect(request).then((body) => answer(request, body, response));
  });
  const answer = (request: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://x');
    const method = request.method ?? '';
    const say = (status: number, text = '', headers = {}) => void response.writeHead(status, headers).end(text);
    if (!isSigned(request, url)) {
      refused.push(`${method} ${url.pathname}: signature`);
      return say(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>', { 'Content-Type': 'application/xml' });
    }
    const [, name, ...rest] = url.pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const found = objects.get(key);
    const q = url.searchParams;
    if (name !== bucket || (method === 'PUT' && key === '')) {
      refused.push(`${method} ${url.pathname}: bucket`);
      return say(404, '<Error><Code>NoSuchBucket</Code></Error>', { 'Content-Type': 'application/xml' });
    }
    if (method === 'GET' && key === '') return say(200, list(objects, q), { 'Content-Type': 'application/xml' });
    if (method === 'POST' && q.has('uploads')) {
      const id = `u${uploads.size}`;
      uploads.set(id, []);
      const text = `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
      return say(200, text, { 'Content-Type': 'application/xml' });
    }
    if (method === 'PUT' && q.has('partNumber')) {
      uploads.get(q.get('uploadId')!)![Number(q.get('partNumber')) - 1] = body;
      return say(200, '', { ETag: `"${createHash('md5').update(body).digest('hex')}"` });
    }
    if (method === 'POST' && q.has('uploadId')) {
      objects.set(key, { bytes: Buffer.concat(uploads.get(q.get('uploadId')!)!), at: new Date() });
      const text = `<CompleteMultipartUploadResult><ETag>"x"</ETag><Key>${key}</Key></CompleteMultipartUploadResult>`;
      return say(200, text, { 'Content-Type': 'application/xml' });
    }
    if (method === 'PUT') {
      objects.set(key, { bytes: body, at: new Date() });
      return say(200, '', { ETag: '"x"' });
    }
    if (method === 'DELETE') {
      objects.delete(key);
      return say(204);
    }
    if (found === undefined) return say(404);
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const part = range === null ? found.bytes : found.bytes.subarray(Number(range[1]), Number(range[2]) + 1);
    response.writeHead(range === null ? 200 : 206, { 'Content-Length': part.length, ETag: '"x"' });
    response.end(method === 'HEAD' ? undefined : part);
  };
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    objects,
    refused,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** ListObjectsV2, a page of two. */
function list(objects: ReadonlyMap<string, Kept>, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].toSorted().filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
  const page = keys.slice(0, PAGE);
  const rows = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><Size>${objects.get(key)!.bytes.length}</Size><LastModified>${objects.get(key)!.at.toISOString()}</LastModified></Contents>`,
  );
  const more = keys.length > page.length;
  const token = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${rows.join('')}</ListBucketResult>`;
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** AWS Signature Version 4 of a request, from its specification: canonical request, string to sign, signing key. */
function isSigned(request: IncomingMessage, url: URL): boolean {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (match === null) return false;
  const [, access, date, region, names, signature] = match as unknown as string[];
  if (access !== S3_KEYS.access) return false;
  const escape = (text: string): string =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${escape(name)}=${escape(value)}`)
    .toSorted()
    .join('&');
  const headers = names!.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const payload = request.headers['x-amz-content-sha256'] as string;
  const canonical = [request.method, url.pathname, query, headers.join(''), names, payload].join('\n');
  const time = request.headers['x-amz-date'] as string;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', time, `${date}/${region}/s3/aws4_request`, digest].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${S3_KEYS.secret}`, date!), region!), 's3'), 'aws4_request');
  return hmac(key, toSign).toString('hex') === signature && time.startsWith(date!);
}
