/** The listener at port 80 of the sites: what it answers, what it refuses, and that no caller holds it for long. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ChallengeListener } from '#runtime/acme/challenge-listener.ts';

const SITE = 'app.example.org';
const PATH = '/.well-known/acme-challenge/token-1';
let listener: ChallengeListener;

beforeEach(async () => {
  listener = new ChallengeListener({ bind: '127.0.0.1:0', sites: new Set([SITE, 'b.example.org']), httpsPort: 443 });
  await listener.open();
});
afterEach(() => listener.close());

function ask(host: string, path: string, method = 'GET', of = listener): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: of.port, path, method, headers: { Host: host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      const { connection, location } = answer.headers;
      answer.on('end', () => resolve([answer.statusCode, connection, location ?? '', text].join(' ').trimEnd()));
    });
    asked.on('error', reject).end();
  });
}

/** All that comes back for these bytes until the other side closes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listener.port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

test('a token is answered for its name while it is offered, by GET and HEAD alone', async () => {
  const withdraw = listener.offer(SITE, 'token-1', 'token-1.print');
  expect(await ask(SITE, PATH)).toBe('200 close  token-1.print');
  expect(await ask(`${SITE.toUpperCase()}:80`, PATH, 'HEAD')).toBe('200 close');
  expect(await ask('b.example.org', PATH)).toBe('404 close');
  expect(await ask(SITE, `${PATH}0`)).toBe('404 close');
  expect(await ask(SITE, PATH, 'POST')).toBe('404 close');
  withdraw();
  expect(await ask(SITE, PATH)).toBe('404 close');
});

test('a token that another node offers is answered; what is no token is not asked for', async () => {
  const asked: string[] = [];
  const elsewhere = (name: string, token: string): Promise<string | null> => {
    asked.push(`${name} ${token}`);
    return Promise.resolve(token === 'token-1' ? 'token-1.print' : null);
  };
  const far = new ChallengeListener({ bind: '127.0.0.1:0', sites: new Set([SITE]), httpsPort: 443, elsewhere });
  await far.open();
  expect(await ask(SITE, PATH, 'GET', far)).toBe('200 close  token-1.print');
  expect(await ask(SITE, PATH, 'HEAD', far)).toBe('200 close');
  expect(await ask(SITE, `${PATH}0`, 'GET', far)).toBe('404 close');
  expect(await ask(SITE, PATH, 'POST', far)).toBe('404 close');
  expect(await ask(SITE, `${PATH}/x`, 'GET', far)).toBe('404 close');
  expect(await ask(SITE, `${PATH}${'x'.repeat(limits.acme.tokenCharsMax)}`, 'GET', far)).toBe('404 close');
  expect(await ask('b.example.org', PATH, 'GET', far)).toBe('421 close');
  expect(asked).toEqual([`${SITE} token-1`, `${SITE} token-1`, `${SITE} token-10`]);
  await far.close();
});

test('everything else of a site goes to https with its path; other hosts are misdirected', async () => {
  expect(await ask(SITE, '/a?b=c', 'DELETE')).toBe(`308 close https://${SITE}/a?b=c`);
  expect(await ask(SITE, '//elsewhere.example.org/')).toBe(`308 close https://${SITE}//elsewhere.example.org/`);
  expect(await ask('elsewhere.example.org', '/')).toBe('421 close');
  expect(await ask(`${SITE}.elsewhere.example.org`, PATH)).toBe('421 close');
  expect(await ask(SITE, '*', 'OPTIONS')).toBe('400 close');
  const moved = new ChallengeListener({ bind: '127.0.0.1:0', sites: new Set([SITE]), httpsPort: 8443 });
  await moved.open();
  expect(await ask(SITE, '/', 'GET', moved)).toBe(`308 close https://${SITE}:8443/`);
  await moved.close();
});

test('a body is not waited for, two heads are one answer, and broken heads are refused', async () => {
  const head = `Host: ${SITE}\r\n`;
  expect(await raw(`POST / HTTP/1.1\r\n${head}Content-Length: 1000000\r\n\r\nx`)).toMatch(/^HTTP\/1\.1 308 /);
  const two = await raw(`GET / HTTP/1.1\r\n${head}\r\nGET /2 HTTP/1.1\r\n${head}\r\n`);
  expect(two.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 308']);
  expect(await raw('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  expect(await raw(`GET / HTTP/1.1\r\n${head}X: ${'y'.repeat(limits.acme.challengeHeadBytesMax)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  );
});

test('connections are bounded, and one that sends nothing is closed', { timeout: 30_000 }, async () => {
  const silent = Array.from({ length: limits.acme.challengeConnectionsMax }, () => connect(listener.port, '127.0.0.1'));
  const gone = silent.map(
    (socket) =>
      new Promise((resolve) =>
        socket
          .resume()
          .on('error', () => undefined)
          .once('close', resolve),
      ),
  );
  await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  await expect(ask(SITE, '/')).rejects.toThrow(/ECONNRESET|socket hang up/);
  await Promise.all(gone);
  expect(await ask(SITE, '/')).toMatch(/^308 /);
});

test('a taken port is an error, and the listener can be opened again later', async () => {
  const other = new ChallengeListener({ bind: `127.0.0.1:${listener.port}`, sites: new Set(), httpsPort: 443 });
  await expect(other.open()).rejects.toThrow('EADDRINUSE');
  await listener.close();
  await other.open();
  await other.close();
  await listener.open();
});
