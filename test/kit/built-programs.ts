/**
 * Before the tests: bundles of every program, which nodes of tests start their threads and processes from, built anew when sources change; and the
 * file in which processes of tests write down which described answers they saw.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildPrograms } from '#runtime/cli/build-programs.ts';
import { ROOT } from '#runtime/place.ts';
import { SEEN_FILE } from './documented.ts';

export async function setup(project: TestProject): Promise<() => void> {
  const seen = process.env[SEEN_FILE] === undefined ? mkdtempSync(join(tmpdir(), 'skep-seen-')) : null;
  if (seen !== null) process.env[SEEN_FILE] = join(seen, 'answers');
  const dir = `${ROOT}dist`;
  process.env['SKEP_DIST'] = dir;
  // As the launcher of the command line does: every thread of every node loads compiled code.
  process.env['NODE_COMPILE_CACHE'] ??= `${ROOT}node_modules/.cache/skep`;
  await buildPrograms(dir);
  project.onTestsRerun(async () => void (await buildPrograms(dir)));
  return () => {
    if (seen !== null) rmSync(seen, { recursive: true, force: true });
  };
}
