/** Before the tests: bundles of every program, which nodes of tests start their threads and processes from. Built anew when sources change. */
import type { TestProject } from 'vitest/node';
import { buildPrograms } from '#runtime/cli/build-programs.ts';
import { ROOT } from '#runtime/place.ts';

export async function setup(project: TestProject): Promise<void> {
  const dir = `${ROOT}dist`;
  process.env['SKEP_DIST'] = dir;
  // As the launcher of the command line does: every thread of every node loads compiled code.
  process.env['NODE_COMPILE_CACHE'] ??= `${ROOT}node_modules/.cache/skep`;
  await buildPrograms(dir);
  project.onTestsRerun(async () => void (await buildPrograms(dir)));
}
