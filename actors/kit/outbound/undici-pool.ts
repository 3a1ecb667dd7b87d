/**
 * undici's Pool, file by file. The package's index would replace the dispatcher of Node's own `fetch` for the whole thread, and that fetch then refuses requests that name their length,
 * as those to an S3 store do.
 */
import { createRequire } from 'node:module';
import type * as undiciModule from 'undici';

export type PoolClass = typeof undiciModule.Pool;
export type Pool = InstanceType<PoolClass>;

let loaded: PoolClass | null = null;

/** With the first request: most threads never call outside. */
export function poolClass(): PoolClass {
  if (loaded !== null) return loaded;
  const require = createRequire(import.meta.url);
  loaded = require('undici/lib/dispatcher/pool.js') as PoolClass;
  const { request } = require('undici/lib/api/index.js') as Pick<Pool, 'request'>;
  Object.assign(loaded.prototype, { request });
  return loaded;
}
