/** The folder `web` of a checkout: what is taken of it, and what is refused. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { archiveCheckout } from '#runtime/checkout-files.ts';
import { placesOf } from '#runtime/product-archive.ts';
import { listWeb, readWeb } from '#runtime/web/list-web.ts';
import { webFaults } from '#runtime/web/web-faults.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'skep-web-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(path: string, bytes = path): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), bytes);
}

function putSized(path: string, bytes: number): void {
  put(path, '');
  truncateSync(join(dir, path), bytes);
}

const faults = (): string[] => listWeb(dir).faults.map((line) => line.replace(`${dir}/`, ''));

test('files are taken by their path, sorted, without dot files and folders', () => {
  for (const path of ['web/index.html', 'web/a/b.js', 'web/.env', 'web/.git/config', 'web/a/.hidden', 'other/x'])
    put(path);
  expect(listWeb(dir)).toEqual({ paths: ['web/a/b.js', 'web/index.html'], faults: [] });
  expect(readWeb(dir).map(({ path, bytes }) => [path, bytes.toString()])).toEqual([
    ['web/a/b.js', 'web/a/b.js'],
    ['web/index.html', 'web/index.html'],
  ]);
});

test('a checkout without the folder has none', () => {
  expect(listWeb(dir)).toEqual({ paths: [], faults: [] });
  expect(webFaults(dir)).toBe('');
});

test('a revision has them, each where its place says', () => {
  put('product.yaml', 'name: x');
  put('web/index.html', '<p>');
  put(`web/${'long/'.repeat(30)}a.js`, 'deep');
  const archive = archiveCheckout(dir, { type: 'meta' });
  for (const { path, at, bytes } of placesOf(archive)) {
    expect([path, archive.subarray(at, at + bytes.length)]).toEqual([path, bytes]);
    expect(bytes.toString()).toBe(path === 'product.yaml' ? 'name: x' : path === 'web/index.html' ? '<p>' : 'deep');
  }
  expect(placesOf(archive)).toHaveLength(3);
});

describe('what is refused', () => {
  test('links, to a file, a folder, outside, and the folder itself', () => {
    put('secret.txt');
    put('web/index.html');
    symlinkSync(join(dir, 'secret.txt'), join(dir, 'web/file.txt'));
    symlinkSync(dir, join(dir, 'web/up'));
    symlinkSync('/etc/passwd', join(dir, 'web/passwd'));
    const why = 'it is no file and no folder: links are not served, copy the file here';
    expect(faults()).toEqual(['web/file.txt', 'web/passwd', 'web/up'].map((path) => `${path}: ${why}`));
    expect(() => readWeb(dir)).toThrow('links are not served');
    rmSync(join(dir, 'web'), { recursive: true });
    symlinkSync(dir, join(dir, 'web'));
    expect(faults()).toEqual(['web: web is a folder, no file and no link']);
  });

  test('a pipe, without waiting for it', () => {
    put('web/index.html');
    expect(spawnSync('mkfifo', [join(dir, 'web/pipe')]).status).toBe(0);
    expect(faults()).toEqual(['web/pipe: it is no file and no folder: links are not served, copy the file here']);
  });

  test('a file that is too large, and too many bytes together; at the bound both are taken', () => {
    const { bytesMax, fileBytesMax } = limits.web;
    for (let i = 0; i < bytesMax / fileBytesMax; i++) putSized(`web/${i}.bin`, fileBytesMax);
    expect(faults()).toEqual([]);
    put('web/one.txt', '1');
    expect(faults()).toEqual([
      `web: its files have ${bytesMax + 1} bytes, and a product may have ${bytesMax}: keep large files in a content store`,
    ]);
    putSized('web/0.bin', fileBytesMax + 1);
    expect(faults()[0]).toBe(
      `web/0.bin: it has ${fileBytesMax + 1} bytes, and a file may have ${fileBytesMax}: keep it in a content store`,
    );
  });

  test('names that no address has', () => {
    put('web/a\\b.js');
    put('web/a\nb.js');
    put(`web/${'x'.repeat(150)}/${'y'.repeat(150)}.js`);
    expect(faults()).toEqual([
      'web/a\nb.js: its name has a character that no address has: give it another',
      'web/a\\b.js: its name has a character that no address has: give it another',
      expect.stringContaining('its path is longer than 255 bytes: shorten it'),
    ]);
  });

  test('files below the address of a service', () => {
    for (const path of ['web/index.html', 'web/data/a.json', 'web/auth/x.html', 'web/health', 'web/database/a.json'])
      put(path);
    expect(webFaults(dir).replaceAll(`${dir}/`, '')).toBe(
      [
        'web/auth/x.html: addresses below /auth belong to a service, so it could not be reached: move it\n',
        'web/data/a.json: addresses below /data belong to a service, so it could not be reached: move it\n',
        'web/health: addresses below /health belong to a service, so it could not be reached: move it\n',
      ].join(''),
    );
  });
});
