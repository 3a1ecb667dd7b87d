/** Servers that a node asks: what mail servers and buckets answer, over sockets on loopback. */
import { createServer as createHttp } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const LETTER = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  to: ['ada@example.org'],
  subject: 'S',
  text: 'a\n.b\n',
  html: '<p>a</p>',
};
/** A client that waits for more than the server says gets its next answer after so long, and at last the end. */
const IDLE_MS = 10;
const END = '\0';
const ANSWERS_MAX = 24;

/** Says each answer when the client has spoken; the connection ends behind the last one. */
function converse(socket: Socket, answers: readonly Buffer[]): void {
  let at = 0;
  let idle: NodeJS.Timeout | undefined;
  const next = (): void => {
    clearTimeout(idle);
    const answer = answers[at++];
    if (answer === undefined) return void socket.end();
    socket.write(answer);
    idle = setTimeout(next, IDLE_MS);
  };
  socket
    .on('data', next)
    .on('error', () => clearTimeout(idle))
    .on('close', () => clearTimeout(idle));
  next();
}

/** The first byte chooses login and TLS; answers of the server behind it, one for each thing that the client says. */
export async function mailTarget(): Promise<Target> {
  const { isFinalFailure, smtpSender } = await import('#actors/courier/smtp.ts');
  let answers: readonly Buffer[] = [];
  const port = await listening(createServer((socket) => converse(socket, answers)));
  const user = 'skep';
  let forgotten = 0;
  const logins = [
    null,
    { user, pass: 'p' },
    { user, token: () => Promise.resolve('t'), forget: () => void forgotten++ },
  ];
  const letters = (...lines: string[]): string => lines.join(END);
  const sound = ['250-mail.example\r\n250-SIZE 100000\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2\r\n'];
  const rest = ['250 ok\r\n', '250 ok\r\n', '354 go\r\n', '250 queued\r\n', '221 bye\r\n'];
  return {
    name: 'mail',
    costs: 8,
    form: 'bytes',
    covers: ['/actors/courier/smtp.ts', '/node_modules/nodemailer/'],
    seeds: [
      letters('0220 mail.example ESMTP\r\n', ...sound, ...rest),
      letters('1220 mail.example ESMTP\r\n', ...sound, '235 ok\r\n', ...rest),
      letters('2220-a\r\n220 b\r\n', ...sound, '334 eyJzdGF0dXMiOiI0MDAifQ==\r\n', '535 5.7.8 no\r\n', ...rest),
      letters('1220 mail.example ESMTP\r\n', '250-x\r\n250 AUTH CRAM-MD5\r\n', '334 PDE+\r\n', '235 ok\r\n', ...rest),
      letters('0220 mail.example ESMTP\r\n', ...sound, '250 ok\r\n', '550 5.1.1 no such user\r\n', '221 bye\r\n'),
      letters('3220 mail.example ESMTP\r\n', '250-x\r\n250 STARTTLS\r\n', '220 go\r\n', '\x15\x03\x03\x00\x02\x02\x28'),
      letters('0421 4.3.2 later\r\n'),
      letters('0220 old\r\n', '502 what\r\n', '250 hello\r\n', ...rest),
    ],
    words: [
      END,
      '\r\n',
      '\n',
      '250-',
      '250 ',
      '354 ',
      '334 ',
      '535 ',
      '421 ',
      '550 5.1.1 ',
      '454',
      '999 ',
      'AUTH ',
      'AUTH=LOGIN',
      'SIZE 1',
      'SMTPUTF8',
      'DSN',
      'PIPELINING',
      'STARTTLS',
      '\x16\x03\x01',
    ],
    bytesMax: 16_384,
    stepsMax: linear(20_000, 60),
    waits: true,
    run: async (input) => {
      const first = input[0] ?? 0;
      answers = input
        .subarray(1)
        .toString('latin1')
        .split(END)
        .slice(0, ANSWERS_MAX)
        .map((text) => Buffer.from(text, 'latin1'));
      const login = logins[(first & 3) % 3]!;
      const settings = {
        host: '127.0.0.1',
        port,
        starttls: (first & 3) === 3,
        login,
        from: 'Skep <no-reply@skep.example>',
        waitMs: 2000,
      };
      try {
        await smtpSender(settings)(LETTER);
        must(answers.length >= 5, 'a mail is sent that no server took');
      } catch (error) {
        must(error instanceof Error && error.name === 'Error', String(error));
        void isFinalFailure(error);
      }
    },
  };
}

const LISTED = (more: string): string =>
  `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>${more}<Contents><Key>p/ab/${'ab'.repeat(32)}</Key><Size>12</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents></ListBucketResult>`;
const SET = '2026-11-27T12-00-00.000Z';

/** Status and headers on the first line, the body behind it; the second answer to a listing ends it. */
export async function bucketTarget(): Promise<Target> {
  const { S3Blobs } = await import('#storage/blob/s3.ts');
  const { S3Failed } = await import('#storage/blob/s3-fault.ts');
  const { S3Place } = await import('#storage/backup-set/s3-place.ts');
  const { PartMissing } = await import('#storage/backup-set/place.ts');
  const spool = mkdtempSync(join(tmpdir(), 'skep-inputs-'));
  afterAll(() => rmSync(spool, { recursive: true, force: true }));
  let said: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };
  const server = createHttp((_request, response) => {
    response.writeHead(said.status, { ...said.headers, connection: 'close' }).end(said.body);
  });
  const port = await listening(server);
  afterAll(() => server.closeAllConnections());
  const login = { endpoint: `http://127.0.0.1:${port}/b`, region: 'us-east-1', accessKey: 'AKIA', secretKey: 's' };
  const blobs = new S3Blobs({ ...login, prefix: 'p/', spool });
  const place = new S3Place({ ...login, prefix: 'p/', spool, admits: () => true });
  const digest = 'ab'.repeat(32);
  const all = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const item of items) found.push(item);
    return found;
  };
  const works: readonly (() => Promise<unknown>)[] = [
    async () => {
      const size = await blobs.size(digest);
      must(size === null || (Number.isSafeInteger(size) && size >= 0), `the size ${size}`);
    },
    () => all(blobs.read(digest, 0, 12)),
    async () => {
      const bytes = await blobs.bytes();
      must(Number.isSafeInteger(bytes) && bytes >= 0, `${bytes} bytes`);
    },
    async () =>
      must(
        (await all(blobs.digests())).every((one) => /^[0-9a-f]{64}$/.test(String(one))),
        'no digest',
      ),
    () =>
      blobs.sweep(
        Date.UTC(2026, 5),
        () => true,
        () => Promise.resolve(),
      ),
    () => all(place.parts()),
    () => place.sets(),
    () => place.chunks(),
    () => place.readSet(SET),
    () => place.sizeOf(digest),
    () => all(place.read(digest)),
  ];
  return {
    name: 'bucket',
    costs: 12,
    form: 'text',
    covers: ['/storage/blob/s3', '/storage/backup-set/s3-place.ts', '/node_modules/s3mini/'],
    seeds: [
      `200 {}\n${LISTED('')}`,
      `200 {"content-length":"12","etag":"\\"x\\""}\nhello, world`,
      `206 {"content-range":"bytes 0-11/12"}\nhello, world`,
      `200 {}\n${LISTED('<NextContinuationToken>t</NextContinuationToken>')}`,
      `200 {}\n${LISTED('').replaceAll('p/ab/', `p/sets/${SET}.json`)}`,
      '404 {}\n<Error><Code>NoSuchKey</Code><Message>a</Message></Error>',
      '503 {"retry-after":"1"}\n<Error><Code>SlowDown</Code></Error>',
      '301 {"location":"http://127.0.0.1:1/"}\n',
    ],
    words: [
      '<Contents>',
      '</Contents>',
      '<Key>',
      '</Key>',
      '<Size>',
      '</Size>',
      '<NextContinuationToken>',
      '<IsTruncated>true',
      '&lt;',
      '&#0;',
      '<![CDATA[',
      '<!DOCTYPE a [<!ENTITY b "c">]>',
      '&b;',
      '<LastModified>',
      '-1',
      '1e999',
      '"content-length":',
      '"etag":',
      '204',
      '304',
      '500',
    ],
    bytesMax: 8192,
    stepsMax: linear(60_000, 300),
    waits: true,
    run: async (input) => {
      const end = input.indexOf('\n');
      const [, status = '200', head = '{}'] =
        /^([2-5]\d\d) (.*)$/.exec(input.toString('latin1', 0, Math.max(end, 0))) ?? [];
      said = { status: Number(status), headers: headersIn(head), body: input.subarray(end + 1) };
      for (const work of works)
        try {
          await work();
        } catch (error) {
          if (!(error instanceof S3Failed) && !(error instanceof PartMissing)) throw error;
        }
    },
  };
}

/** What a server can send as headers; lengths are its own. */
function headersIn(text: string): Record<string, string> {
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    const isSendable = ([name, value]: [string, unknown]): boolean =>
      /^(?:etag|content-range|retry-after|content-type|x-[a-z]{1,20})$/.test(name) &&
      /^[\x20-\x7e]*$/.test(String(value));
    return Object.fromEntries(entries.filter(isSendable).map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}
