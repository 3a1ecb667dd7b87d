/** What the console's listener answers at paths without a route, on both servers: headers, files, and nothing else. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { BuiltFiles, NONCE_PLACE, STAMP } from '#runtime/console/built-files.ts';
import { ConsoleDoor } from '#runtime/console/console-door.ts';
import { doors } from '#runtime/door/open-door.ts';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { Door } from '#runtime/door/port.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const SCRIPT = `export const text = '${'words '.repeat(200)}';\n`;
const PAGE = `<!doctype html><meta nonce="${NONCE_PLACE}"><script nonce="${NONCE_PLACE}" src="/console/assets/index-a1.js"></script>`;
const LOG = { warn: () => undefined };

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
    const handler = new ConsoleDoor(LOG, join(dir, 'dist')).handler((visit) => visit.answer(404, '', 'no route'));
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
    const handler = new ConsoleDoor(LOG, join(dir, 'dist')).handler((visit) => visit.answer(404, '', ''));
    const door = await doors.node({ host: '127.0.0.1', port: 0, drainMs: 200 }, handler);
    try {
      const answer = await fetch(`http://127.0.0.1:${door.port}/console/`);
      expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('refresh')]).toEqual([
        503,
        '2',
        '2',
      ]);
      expect(await answer.text()).toContain('npm run build:console');
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
    const files = new BuiltFiles({ dir: dist, log: { warn: (what: unknown) => void told.push(what) }, now: () => now });
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

  test('that is larger than a console of ours is not taken', () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    writeBuild(dir, 'one');
    for (let i = 0; i <= limits.console.filesMax; i++) writeFileSync(join(dir, 'assets', `file-${i}.js`), '');
    const told: unknown[] = [];
    expect(
      new BuiltFiles({ dir, log: { warn: (what: unknown) => void told.push(what) }, now: () => 0 }).current(),
    ).toBeNull();
    expect(told).toHaveLength(1);
    rmSync(dir, { recursive: true, force: true });
  });
});
