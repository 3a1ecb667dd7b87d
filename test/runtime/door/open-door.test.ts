import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { callerIp } from '#runtime/door/caller-ip.ts';
import { doors, forcedDoor, openDoor, type DoorKind } from '#runtime/door/open-door.ts';
import type { Visit } from '#runtime/door/port.ts';

const folder = mkdtempSync(join(tmpdir(), 'skep-door-'));
const tls = { keyFile: join(folder, 'key.pem'), certFile: join(folder, 'cert.pem') };
const kinds = Object.keys(doors) as DoorKind[];
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === '::1'));
const at = { host: '127.0.0.1', port: 0 };

beforeAll(() => {
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=door.test',
  ];
  execFileSync('openssl', [...args, '-keyout', tls.keyFile, '-out', tls.certFile], { stdio: 'ignore' });
});
afterAll(() => rmSync(folder, { recursive: true }));

function hello(visit: Visit): void {
  visit.answer(200, 'Content-Type: text/plain\n', `${visit.method} ${visit.path} ${visit.ip()}`);
}

describe.each(kinds)('TLS on %s', (kind) => {
  test('answers', async () => {
    const door = await openDoor({ ...at, tls }, hello, kind);
    onTestFinished(() => door.close());
    const text = await new Promise<string>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port: door.port, path: '/a', rejectUnauthorized: false, agent: false });
      call.on('response', (response) => response.setEncoding('utf8').on('data', resolve));
      call.on('error', reject).end();
    });
    expect(text).toBe('GET /a 127.0.0.1');
  });

  test('a missing file is refused at opening', async () => {
    await expect(
      openDoor({ ...at, tls: { ...tls, keyFile: join(folder, 'none.pem') } }, hello, kind),
    ).rejects.toThrow();
  });
});

test.skipIf(!hasIpv6).each(kinds)('IPv6 callers are told in the shortest form (%s)', async (kind) => {
  const door = await openDoor({ host: '::1', port: 0 }, hello, kind);
  onTestFinished(() => door.close());
  expect(await (await fetch(`http://[::1]:${door.port}/`)).text()).toBe('GET / ::1');
});

test.skipIf(!hasIpv6).each(kinds)('an IPv4 caller of a dual-stack door keeps its IPv4 address (%s)', async (kind) => {
  const door = await openDoor({ host: '::', port: 0 }, hello, kind);
  onTestFinished(() => door.close());
  expect(await (await fetch(`http://127.0.0.1:${door.port}/`)).text()).toBe('GET / 127.0.0.1');
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['', ''],
  ['0000:0000:0000:0000:0000:ffff:7f00:0001', '127.0.0.1'],
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['2001:0db8:0000:0000:0000:0000:0000:00A1', '2001:db8::a1'],
])('the caller %j is %j', (text, ip) => {
  expect(callerIp(text)).toBe(ip);
});

test('SKEP_DOOR takes two words', () => {
  expect(forcedDoor(undefined)).toBeUndefined();
  expect(forcedDoor('')).toBeUndefined();
  expect(kinds.map((kind) => forcedDoor(kind))).toEqual(kinds);
  expect(() => forcedDoor('apache')).toThrow(/uws or node/);
});
