import { expect, test } from 'vitest';
import { isOfImage } from '#runtime/cli/image-tree.ts';

const MACHINE = { arch: 'x64', modules: '127' };

test.each([
  ['/index.js', true],
  ['/LICENSE', true],
  ['/dist/uws_linux_x64_127.node', true],
  ['/dist/uws_linux_arm64_127.node', false],
  ['/dist/uws_linux_x64_115.node', false],
  ['/dist/uws_win32_x64_127.node', false],
  ['/node.abi127.glibc.node', true],
  ['/node.abi115.glibc.node', false],
  ['/node.napi.glibc.node', true],
  ['/node.napi.musl.node', false],
  ['/linux_x64/koffi.node', true],
  ['/musl_x64/koffi.node', false],
  ['/jq.wasm', true],
  ['/index.d.ts', false],
  ['/index.d.mts', false],
  ['/index.js.map', false],
  ['/dependencies/lmdb/mdb.c', false],
  ['/node_modules', false],
])('of an installed package, the image takes what this machine loads: %s %s', (path, taken) => {
  expect(isOfImage(path, MACHINE)).toBe(taken);
});
