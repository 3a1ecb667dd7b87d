/** A node for the tests of one file or group, and calls of its data service with a service token. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { PlatformWish } from './platform-file.ts';
import { startTestNode, type Answer, type Headers, type TestNode } from './test-node.ts';

export interface DataNodeWish extends Pick<PlatformWish, 'cors' | 'extra' | 'gateway' | 'rates' | 'sites'> {
  /** A folder of test/kit/products; the shop where none is named. */
  readonly product?: string;
  /** The server of the door; the default of the platform where none is named. */
  readonly door?: DoorKind;
}

export interface DataNode {
  /** There from the first test on. */
  readonly it: TestNode;
  /** Position headers and a service token. */
  readonly bearer: Headers;
  /** A call below `/data/`, as the bearer where no headers are given. */
  readonly ask: (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
}

/** Starts the node before the first test of the calling file or group, and stops it after the last. */
export function useDataNode({ product, door, ...wish }: DataNodeWish = {}): DataNode {
  let started: { readonly it: TestNode; readonly bearer: Headers } | null = null;
  const running = () => {
    if (started === null) throw new Error('the node is there from the first test on');
    return started;
  };
  beforeAll(async () => {
    if (door !== undefined) process.env['SKEP_DOOR'] = door;
    const localdir = fileURLToPath(new URL(`./products/${product ?? 'shop'}`, import.meta.url));
    const it = await startTestNode({ localdir, ...wish });
    delete process.env['SKEP_DOOR'];
    started = { it, bearer: await it.service() };
  });
  afterAll(() => running().it.stop());
  return {
    get it() {
      return running().it;
    },
    get bearer() {
      return running().bearer;
    },
    ask: (method, path, body, headers = running().bearer) => running().it.call(method, `/data/${path}`, headers, body),
  };
}
