/** What a node without a fault does to its files: how many calls of each kind there are to hit. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Injector } from './injector.ts';
import { CellRun } from './run-cell.ts';
import { copyOf, FILES, type MatrixSite } from './sites.ts';

export interface Census {
  readonly counted: Injector;
  /** Faults of this run, which had no fault of a disk. */
  readonly violations: readonly string[];
  /** The node's files at its end: their directory. */
  readonly place: string;
}

export async function censusOf(site: MatrixSite, library: string, scratch: string): Promise<Census> {
  const own = mkdtempSync(join(scratch, 'census-'));
  const place = join(own, FILES);
  mkdirSync(place);
  const run = new CellRun(site, copyOf(site, place));
  const counted = new Injector(library, own, place, []);
  const how = await run.underFault(counted, true);
  if (how !== 'went on, and ended: 0') run.violations.push(how);
  return { counted, violations: [...run.violations, ...run.refusals], place };
}
