/** A preload (`NODE_OPTIONS=--import=…`) of a node under test: it gets SIGTERM in the moment in which it has said that it serves, before anything else runs. */
import fs from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { writeSync } = fs;
if (isMainThread)
  fs.writeSync = (...args) => {
    const written = writeSync(...args);
    if (String(args[1]).includes('"msg":"serving"')) process.kill(process.pid, 'SIGTERM');
    return written;
  };
