/** Whether this user can serve the data directory with this version. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { readFormat, refuseNewerFormat } from '#storage/format.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

const CHECK = 'data directory';
const OTHERS = 0o077;

export function examineDirectory(dataDir: string): Finding[] {
  if (!existsSync(dataDir)) return [absent(dataDir)];
  if (!statSync(dataDir).isDirectory())
    return [fault(CHECK, `${dataDir} is not a directory`, 'name another with storage.dir')];
  if (!isWritable(dataDir))
    return [
      fault(
        CHECK,
        `${dataDir} cannot be written by this user`,
        'run this command as the user of the node, or give it the directory',
      ),
    ];
  return [privacy(dataDir), format(dataDir)];
}

/** The deepest part of a path that is there: where a file of the path would come to lie. */
export function nearestPlace(path: string): string {
  let place = path;
  while (!existsSync(place)) place = dirname(place);
  return place;
}

function absent(dataDir: string): Finding {
  const place = nearestPlace(dataDir);
  return isWritable(place)
    ? ok(CHECK, `${dataDir} is made at the first start`)
    : fault(
        CHECK,
        `${dataDir} is not there, and this user cannot make it in ${place}`,
        'make it, and give it to the user of the node',
      );
}

function privacy(dataDir: string): Finding {
  const mode = statSync(dataDir).mode & 0o777;
  return (mode & OTHERS) === 0
    ? ok(CHECK, dataDir)
    : warning(CHECK, `${dataDir} is open to other users (mode ${mode.toString(8)})`, `chmod 700 ${dataDir}`);
}

function format(dataDir: string): Finding {
  const check = 'format';
  try {
    refuseNewerFormat(dataDir);
    const found = readFormat(dataDir);
    return ok(
      check,
      found === null ? 'new, or older than the format file' : `${found.format}, served last by skep ${found.skep}`,
    );
  } catch (error) {
    const [what, mend = ''] = (error as Error).message.split('\n    ');
    return fault(check, what!, mend);
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
