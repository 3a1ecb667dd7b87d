/** Certificates at a node that stands by: what is looked at when, what the authority is answered, and what is said when something is missing. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { CertificateMirror } from '#runtime/acme/certificate-mirror.ts';
import { fallbackPlace } from '#runtime/acme/places.ts';
import { good } from '#test/config/load-text.ts';
import { freePort } from '#test/kit/free-port.ts';
import { NOW, SITE, scratch } from './papers.cases.ts';

let dir: string;
let port: number;
let said: string[];
let looks: number;
let isAway: boolean;
let isBegun: boolean;
let offered: Record<string, string>;

beforeEach(async () => {
  dir = scratch();
  port = await freePort();
  said = [];
  looks = 0;
  isAway = false;
  isBegun = true;
  offered = {};
});

function mirror(): CertificateMirror {
  const platform = good(`storage: { dir: ${dir} }
hives: { tenant: [{ key: "acme:desk:prod:main", meta: { localdir: p } }] }
gateway:
  sites: { ${SITE}: { tenant: "acme:desk:prod:main" }, b.example.org: { tenant: "acme:desk:prod:main" } }
  tls: { acme: { directory: "https://a.example.org/dir", http_bind: "127.0.0.1:${port}", agree_terms: true, names: [${SITE}] } }`);
  const look = (): Promise<void> => {
    looks++;
    return isAway ? Promise.reject(new Error('the vault is away')) : Promise.resolve();
  };
  const tell = (_: object, text: string): void => void said.push(text);
  const it = new CertificateMirror({
    platform,
    papers: {
      fetch: () => look().then(() => new Map()),
      look,
      get isBegun() {
        return isBegun;
      },
      offered: (name, token) => offered[`${name} ${token}`] ?? null,
    },
    clock: new SimulatedClock(NOW),
    log: { info: tell, warn: tell, error: tell },
  });
  onTestFinished(() => it.stop());
  return it;
}

function asked(token: string, host = SITE): Promise<string> {
  return new Promise((resolve, reject) => {
    const path = `/.well-known/acme-challenge/${token}`;
    request({ host: '127.0.0.1', port, path, headers: { Host: host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`.trimEnd()));
    })
      .on('error', reject)
      .end();
  });
}

test('it has something to show before doors open, and answers tokens of names that are ordered, by one look for all', async () => {
  await mirror().start();
  expect(existsSync(fallbackPlace(dir))).toBe(true);
  offered = { [`${SITE} one`]: 'one.print', 'b.example.org one': 'no order' };
  const before = looks;
  const answers = await Promise.all(Array.from({ length: 20 }, () => asked('one')));
  expect(new Set(answers)).toEqual(new Set(['200 one.print']));
  expect(looks - before).toBeLessThanOrEqual(2);
  const since = looks;
  expect(await asked('one', 'b.example.org')).toBe('404');
  expect(looks).toBe(since);
  expect(await asked('two')).toBe('404');
  isAway = true;
  expect(await asked('one')).toBe('404');
  expect(said).toEqual([]);
});

test('what cannot be had when it begins is told to its caller, who begins it again', async () => {
  const it = mirror();
  isAway = true;
  await expect(it.start()).rejects.toThrow('the vault is away');
  expect(existsSync(fallbackPlace(dir))).toBe(false);
  isAway = false;
  isBegun = false;
  await expect(it.start()).rejects.toThrow('the node that serves has put no certificates into the vault');
  expect(existsSync(fallbackPlace(dir))).toBe(false);
  isBegun = true;
  await it.start();
  await it.start();
  expect(await asked('two')).toBe('404');
  await it.stop();
  await expect(asked('two')).rejects.toThrow('ECONNREFUSED');
  await it.start();
  await expect(asked('two')).rejects.toThrow('ECONNREFUSED');
});

test('a vault that goes away later, and a port that is taken, are said once and tried again', async () => {
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  expect((other.address() as AddressInfo).port).toBe(port);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { sharedLookMs } = limits.acme;
  await mirror().start();
  expect(said.splice(0)).toEqual([
    expect.stringContaining('(EADDRINUSE), so nothing can be ordered where the authority comes'),
  ]);
  isAway = true;
  const passes = async (count: number): Promise<void> => {
    for (let no = 0; no < count; no++) {
      await vi.advanceTimersByTimeAsync(sharedLookMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await passes(3);
  expect(said.splice(0)).toEqual([expect.stringContaining('certificates of sites cannot be read from the vault')]);
  other.close();
  isAway = false;
  await passes(3);
  vi.useRealTimers();
  expect(said.splice(0)).toEqual(['certificates of sites are read from the vault again']);
  expect(await asked('two')).toBe('404');
});
