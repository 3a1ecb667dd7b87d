/** What the console's listener answers at paths without a route, on both servers: headers, files, and nothing else. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { BuiltFiles, NONCE_PLACE, STAMP } from '#runtime/console/built-files.ts';
import { ConsoleDoor } from '#runtime/console/console-door.ts';
import { PLANE } from '#runtime/console/link-visit.ts';
import { PACKED_CONSOLE, readPacked } from '#runtime/console/packed-build.ts';
import { doors, type DoorKind } from '#runtime/door/open-door.ts';
import type { Door } from '#runtime/door/port.ts';
import { packSite } from '#runtime/site/site-files.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const SCRIPT = `export const text = '${'words '.repeat(200)}';\n`;
const PAGE = `<!doctype html><meta nonce="${NONCE_PLACE}"><script nonce="${NONCE_PLACE}" src="/console/assets/index-a1.js"></script>`;
const LOG = { warn: () => undefined };
const consoleAt = (dir: string, tenants = false) => new ConsoleDoor({ log: LOG, tenants, dir });

function writeBuild(dir: string, stamp: string, script = SCRIPT): void {
  mkdirSync(join(dir, 'assets'), { recursive: true });
  writeFileSync(join(dir, 'index.html'), PAGE);
  writeFileSync(join(dir, 'assets/index-a1.js'), script);
  writeFileSync(join(dir, 'assets/index-a1.js.gz'), gzipSync(script));
  writeFileSync(join(dir, 'assets/plain-b2.css'), 'a{}');
  writeFileSync(join(dir, 'secret.txt'), 'beside the build');
  writeFileSync(join(dir, STAMP), stamp);
}

const kinds: DoorKind[] = ['uws', 'node'];

describe.each(kinds)('%s', (kind) => {
  let dir: string;
  let door: Door;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    writeBuild(join(dir, 'dist'), 'one');
    const handler = consoleAt(join(dir, 'dist')).handler((visit) => visit.answer(404, '', 'no route'));
    door = await doors[kind]({ host: '127.0.0.1', port: 0, drainMs: 200 }, handler);
  });
  afterAll(async () => {
    await door.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A path leaves as it is written. */
  async function ask(path: string, { method = 'GET', more = '' } = {}) {
    const wire = await Wire.open(door.port);
    wire.send(`${method} ${path} HTTP/1.1\r\nHost: console.test\r\n${more}\r\n`);
    const answer = (await wire.answer(method))!;
    wire.end();
    return { ...answer, text: answer.body.toString('utf8') };
  }

  test('the page has a policy with a nonce of its own, which is in it, and is kept by no cache', async () => {
    const nonces = new Set<string>();
    for (const path of [
      '/console/',
      '/console/operations',
      '/console/operations/logs/',
      '/console/data/acme:shop:dev:main/row/a.b~c',
    ]) {
      const { status, headers, text } = await ask(path);
      expect(status, path).toBe(200);
      const policy = headers['content-security-policy']!;
      const [, nonce] = /'nonce-([A-Za-z0-9_-]{22})'/.exec(policy)!;
      nonces.add(nonce!);
      expect(text).toBe(PAGE.replaceAll(NONCE_PLACE, nonce!));
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types default',
      ]);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
    expect(nonces.size).toBe(4);
  });

  test('a file keeps its type for good, and is compressed for callers that take it', async () => {
    const plain = await ask('/console/assets/index-a1.js');
    expect(plain.text).toBe(SCRIPT);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': `public, max-age=${limits.web.immutableSeconds}, immutable`,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      // Without `sandbox`, which would refuse a worker its start; and a worker asks nothing.
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    const packed = await ask('/console/assets/index-a1.js', { more: 'Accept-Encoding: gzip\r\n' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).toString()).toBe(SCRIPT);
    // A coding that the build does not hold is none.
    const other = await ask('/console/assets/plain-b2.css', { more: 'Accept-Encoding: gzip, deflate, br, zstd\r\n' });
    expect([other.text, other.headers['content-encoding'], other.headers['content-type']]).toEqual([
      'a{}',
      undefined,
      'text/css; charset=utf-8',
    ]);
  });

  test('HEAD says what GET would, without the body', async () => {
    for (const path of ['/console/', '/console/assets/index-a1.js']) {
      const [got, head] = [await ask(path), await ask(path, { method: 'HEAD' })];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(head.headers['content-length']).toBe(got.headers['content-length']);
      expect(head.headers['content-type']).toBe(got.headers['content-type']);
    }
  });

  test('other verbs are refused, and the root leads to the page', async () => {
    for (const path of ['/console/', '/console/assets/index-a1.js', '/console/login', '/']) {
      const { status, headers } = await ask(path, {
        method: path === '/console/login' ? 'PUT' : 'POST',
        more: 'Content-Length: 0\r\n',
      });
      expect([path, status, headers['allow']]).toEqual([path, 405, 'GET, HEAD, OPTIONS']);
    }
    expect((await ask('/console/', { method: 'OPTIONS' })).status).toBe(204);
    for (const path of ['/', '/console'])
      expect([(await ask(path)).status, (await ask(path)).headers['location']]).toEqual([302, '/console/']);
  });

  test('nothing is reached beside the build, and unknown files are not there', async () => {
    for (const path of [
      '/console/assets/',
      '/console/assets/unknown.js',
      '/console/assets/index-a1.js.gz',
      '/console/assets/../secret.txt',
      '/console/assets/..%2fsecret.txt',
      '/console/assets/%2e%2e/secret.txt',
      '/console/assets/constructor',
      '/console/assets/__proto__',
      '/console/../console/assets/index-a1.js',
      '/console/./x',
      '/console/.env',
      '/console//x',
      '/console/x//y',
      '/console/%3Cscript%3E',
      '/console/x\\y',
    ]) {
      const { status, headers, text } = await ask(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toContain('beside');
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    }
  });

  test('a page of another origin reaches no route and no login link, whatever it says; programs and the own pages do', async () => {
    const foreign = [
      'Sec-Fetch-Site: cross-site\r\n',
      'Sec-Fetch-Site: same-site\r\nOrigin: http://console.test\r\n',
      'Origin: https://evil.example\r\n',
      'Origin: null\r\n',
      'Origin: http://console.test:81\r\n',
    ];
    for (const more of foreign)
      for (const path of ['/console/login', '/auth/login', '/superadmin/node/health'])
        for (const method of ['POST', 'OPTIONS']) {
          if (path === '/console/login' && method === 'OPTIONS') continue;
          const { status, headers } = await ask(path, { method, more: `${more}Content-Length: 0\r\n` });
          expect([path, method, more, status, headers['access-control-allow-origin']]).toEqual([
            path,
            method,
            more,
            403,
            undefined,
          ]);
        }
    const own = [
      '',
      'Sec-Fetch-Site: same-origin\r\nOrigin: https://behind.a.proxy\r\n',
      'Origin: http://Console.test\r\n',
    ];
    for (const more of own) expect((await ask('/superadmin/node/health', { more })).text).toBe('no route');
    // A link from elsewhere opens the page.
    expect((await ask('/console/', { more: 'Sec-Fetch-Site: cross-site\r\n' })).status).toBe(200);
  });

  test('log ins of tenants are none of this listener', async () => {
    const at = (tenant: string) =>
      `X-Customer: control\r\nX-Product: plane\r\nX-Env: x\r\nX-Tenant: ${tenant}\r\nContent-Length: 0\r\n`;
    for (const path of ['/auth/login', '/auth/refresh', '/auth/logout'])
      for (const more of ['Content-Length: 0\r\n', at('main')]) {
        const { status, text } = await ask(path, { method: 'POST', more });
        expect([path, status, text]).toEqual([path, 404, '']);
      }
    expect((await ask('/console/login', { method: 'POST', more: at('main') })).status).toBe(404);
    const lines = [...PLANE].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    expect((await ask('/auth/login', { method: 'POST', more: `${lines}Content-Length: 0\r\n` })).text).toBe('no route');
  });

  test('log ins of tenants are asked of the routes where people of tenants may come', async () => {
    const handler = consoleAt(join(dir, 'dist'), true).handler((visit) =>
      visit.answer(200, '', [...PLANE.keys()].map((name) => visit.header(name)).join(':')),
    );
    const open = await doors[kind]({ host: '127.0.0.1', port: 0, drainMs: 200 }, handler);
    try {
      const headers = { 'X-Customer': 'acme', 'X-Product': 'shop', 'X-Env': 'dev', 'X-Tenant': 'main' };
      for (const path of ['/auth/login', '/auth/refresh', '/auth/logout', '/console/login']) {
        const answer = await fetch(`http://127.0.0.1:${open.port}${path}`, { method: 'POST', headers });
        expect([path, answer.status, await answer.text()]).toEqual([path, 200, 'acme:shop:dev:main']);
      }
      // A link that names no position is one of the control plane.
      const plane = await fetch(`http://127.0.0.1:${open.port}/console/login`, { method: 'POST' });
      expect(await plane.text()).toBe([...PLANE.values()].join(':'));
    } finally {
      await open.close();
    }
  });

  test('no file is asked for, however the parameter is written', async () => {
    for (const query of ['download=true', 'x=1&DOWNLOAD=TRUE&field=photo', '%64ownload=true', 'download'])
      for (const path of ['/data/rest/item/id/x', '/superadmin/node/health']) {
        const { status, text } = await ask(`${path}?${query}`);
        expect([query, status, text]).toEqual([query, 404, '']);
      }
    expect((await ask('/data/rest/item/id/x?downloads=1&a=download')).text).toBe('no route');
  });

  test('any other path is asked of the routes, whose answers are no pages', async () => {
    for (const path of ['/consolex', '/x', '/assets/index-a1.js', '/index.html', '/sources.sha256']) {
      const { status, headers, text } = await ask(path);
      expect([path, status, text]).toEqual([path, 404, 'no route']);
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });
});

describe('a build', () => {
  test('that is not there yet is answered 503, with a page that asks again', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    const handler = consoleAt(join(dir, 'dist')).handler((visit) => visit.answer(404, '', ''));
    const door = await doors.node({ host: '127.0.0.1', port: 0, drainMs: 200 }, handler);
    try {
      const answer = await fetch(`http://127.0.0.1:${door.port}/console/`);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
      const text = await answer.text();
      expect(text).toContain('npm run build:console');
      // It reloads itself with its fragment, the code of a login link, which the header `Refresh` would not.
      const nonce = /<script nonce="([^"]+)">setTimeout\(\(\) => location\.reload\(\), 2000\)<\/script>/.exec(
        text,
      )![1]!;
      expect(answer.headers.get('content-security-policy')).toContain(
        `default-src 'none'; script-src 'nonce-${nonce}';`,
      );
    } finally {
      await door.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  test('that comes, or is replaced, is served without a restart; one that cannot be read is told once, and the one before stays', () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    const dist = join(dir, 'dist');
    const told: unknown[] = [];
    let now = 0;
    const files = new BuiltFiles({
      packed: () => null,
      dir: dist,
      log: { warn: (what: unknown) => void told.push(what) },
      now: () => now,
    });
    const later = () => {
      now += limits.console.lookMs;
      return files.current();
    };
    const scriptOf = (build: ReturnType<typeof later>) =>
      Buffer.from(build!.assets.get('index-a1.js')!.bytes).toString();
    expect(files.current()).toBeNull();
    writeBuild(join(dir, 'first'), 'one', 'one()');
    renameSync(join(dir, 'first'), dist);
    // The disk is asked once a second.
    expect(files.current()).toBeNull();
    expect(scriptOf(later())).toBe('one()');
    rmSync(dist, { recursive: true });
    expect(scriptOf(later())).toBe('one()');
    writeBuild(dist, 'two', 'two()');
    expect(scriptOf(later())).toBe('two()');
    expect(told).toEqual([]);
    rmSync(join(dist, 'index.html'));
    writeFileSync(join(dist, STAMP), 'three');
    expect(scriptOf(later())).toBe('two()');
    expect(later()!.stamp).toBe('two');
    expect(told).toHaveLength(1);
    rmSync(dir, { recursive: true, force: true });
  });

  test('of a package is one file, whose codings are made when it is read; a damaged one is told once', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    const path = join(dir, PACKED_CONSOLE);
    writeBuild(join(dir, 'texts'), 'one');
    rmSync(join(dir, 'texts/assets/index-a1.js.gz'));
    writeFileSync(path, 'no brotli');
    const told: unknown[] = [];
    let now = 0;
    const files = new BuiltFiles({
      packed: () => readPacked(path),
      dir: join(dir, 'dist'),
      log: { warn: (what: unknown) => void told.push(what) },
      now: () => (now += limits.console.lookMs),
    });
    expect([files.current(), files.current(), told.length]).toEqual([null, null, 1]);
    writeFileSync(path, packSite(join(dir, 'texts')));
    const build = files.current()!;
    expect([build.stamp, build.page, [...build.assets.keys()]]).toEqual(['one', PAGE, ['index-a1.js', 'plain-b2.css']]);
    const script = build.assets.get('index-a1.js')!;
    expect(script.type).toMatch(/^text\/javascript/);
    await expect.poll(() => Object.keys(script.coded).toSorted()).toEqual(['br', 'gzip']);
    expect(gunzipSync(script.coded.gzip!).toString()).toBe(SCRIPT);
    expect(files.current()).toBe(build);
    rmSync(path);
    expect(readPacked(path)).toBeNull();
    rmSync(dir, { recursive: true, force: true });
  });

  test('that is larger than a console of ours is not taken', () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    writeBuild(dir, 'one');
    for (let i = 0; i <= limits.console.filesMax; i++) writeFileSync(join(dir, 'assets', `file-${i}.js`), '');
    const told: unknown[] = [];
    expect(
      new BuiltFiles({
        packed: () => null,
        dir,
        log: { warn: (what: unknown) => void told.push(what) },
        now: () => 0,
      }).current(),
    ).toBeNull();
    expect(told).toHaveLength(1);
    rmSync(dir, { recursive: true, force: true });
  });
});
