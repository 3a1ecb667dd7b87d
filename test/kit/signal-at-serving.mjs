/** A preload (`NODE_OPTIONS=--import=…`) of a node under test: it gets SIGTERM in the moment in which it has said that it serves, before anything else runs. */
import fs from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { writeSync } = fs;
if (isMainThread)
  fs.writeSync = (fd, text, ...rest) => {
    const written = writeSync(fd, text, ...rest);
    if (typeof text === 'string' && text.includes('"msg":"serving"')) process.kill(process.pid, 'SIGTERM');
    return written;
  };
