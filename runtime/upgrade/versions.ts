/** What the directory's format says: which version served it, what this one would change in it, and whether the old one can come back. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FORMAT, readFormat, refuseNewerFormat, type DirectoryFormat } from '#storage/format.ts';
import { raisedVersions, recordChanges, type RecordVersions } from '#storage/record-versions.ts';
import { fault, ok, warning, type Finding } from '#runtime/doctor/finding.ts';

const RESTORE = 'keep the backup of before: the way back is to restore it';

/** `version`: of this skep; `written`: the versions of the records that it writes, where they are above 1. */
export function examineVersions(dataDir: string, version: string, written = raisedVersions()): Finding[] {
  if (!existsSync(join(dataDir, 'shards')))
    return [ok('served by', `no skep has served ${dataDir}: there is nothing to upgrade`)];
  try {
    const found = readFormat(dataDir);
    refuseNewerFormat(dataDir);
    return [servedBy(found, version), opens(found), ...records(found?.records ?? {}, written), wayBack(found, written)];
  } catch (error) {
    const [what, mend = ''] = (error as Error).message.split('\n    ');
    return [fault('format', what!, mend)];
  }
}

function servedBy(found: DirectoryFormat | null, version: string): Finding {
  const last = found === null ? 'skep 0.1.0, which has no file format' : `skep ${found.skep}`;
  return ok('served by', `${last}; this is skep ${version}`);
}

function opens(found: DirectoryFormat | null): Finding {
  return ok('format', `the directory has format ${found?.format ?? 1}; this version opens formats 1 to ${FORMAT}`);
}

/** A record is read in every earlier version, and gets the newest when it is next written: nothing is rewritten at the start. */
function records(held: RecordVersions, written: RecordVersions): Finding[] {
  const check = 'records';
  const changes = recordChanges(held, written);
  if (changes.length === 0) return [ok(check, 'of every table stay as they are: nothing is migrated')];
  return changes.map(({ table, from, to }) =>
    to < from
      ? fault(
          check,
          `${table}: the directory may hold version ${from}, this version reads up to ${to}`,
          'use a version that is not older than the one that served the directory',
        )
      : warning(check, `${table}: version ${from} is read, ${to} is written from the first change on`, RESTORE),
  );
}

/** Whether the version of before can open the directory after this one has served it. */
function wayBack(found: DirectoryFormat | null, written: RecordVersions): Finding {
  const check = 'way back';
  if (found === null)
    return warning(check, 'skep 0.1.0 on a directory that this version has served is not tested', RESTORE);
  const older = `skep ${found.skep}`;
  if (found.format < FORMAT)
    return warning(check, `${older} refuses the directory once this version has served it (format ${FORMAT})`, RESTORE);
  const raised = recordChanges(found.records ?? {}, written).filter(({ from, to }) => to > from);
  if (raised.length > 0) return warning(check, `${older} cannot read what this version writes anew`, RESTORE);
  return ok(check, `${older} opens the directory again, with everything that this version acknowledged`);
}
