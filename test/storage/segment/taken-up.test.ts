/** A log whose writer was killed: lines that only the kernel has are durable before they count. Contract: docs/contract/audit.md §5.2 (what is not durable is never signed). */
import { expect, test } from 'vitest';
import { openFiles, type LogFiles } from '#storage/segment/files.ts';
import { appendSome, placeOfLog } from './kit.ts';

test('a log that is taken up is synced before anything of it is signed', async () => {
  const place = placeOfLog();
  const log = await place.open();
  await appendSome(log, 3);
  await log.close();
  const order: string[] = [];
  const real = openFiles(place.directory);
  const files: LogFiles = {
    names: (directory) => real.names(directory),
    read: (path) => real.read(path),
    size: (path) => real.size(path),
    pack: (path, bytesMin, breath) => real.pack(path, bytesMin, breath),
    save: (saved) => real.save(saved),
    protect: (path) => real.protect(path),
    remove: (path) => real.remove(path),
    open: async (path) => {
      const file = await real.open(path);
      return {
        write: (bytes, position) => file.write(bytes, position),
        truncate: (length) => file.truncate(length),
        close: () => file.close(),
        sync: async () => {
          await file.sync();
          order.push(path);
        },
      };
    },
  };
  const again = await place.open({ files });
  expect(order).toEqual(['segments/0000000000000000.log']);
  await again.close();
});
