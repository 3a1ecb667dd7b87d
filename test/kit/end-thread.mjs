/**
 * A preload (`NODE_OPTIONS=--import=…`) of a node under test: one of its threads ends by itself, as by a fault of its own, when a file named after its source (`tenant-host.worker`) lies in the
 * directory SKEP_TEST_END_THREADS; it takes the file along. One that is called `tenant-host.worker.always` ends each thread of that kind as it begins, and stays.
 */
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const EXIT = 9;
const LOOK_MS = 10;
const directory = process.env.SKEP_TEST_END_THREADS;

if (!isMainThread && directory !== undefined) {
  const file = join(directory, basename(process.argv[1] ?? '').replace(/\.[jt]s$/, ''));
  if (existsSync(`${file}.always`)) process.exit(EXIT);
  setInterval(() => {
    if (!existsSync(file)) return;
    rmSync(file);
    process.exit(EXIT);
  }, LOOK_MS).unref();
}
