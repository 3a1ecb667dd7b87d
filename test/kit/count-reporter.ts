/** Judges what tests cite of each other, and prints the closing line that CI reads: `N passed, N failed`. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { runnerOf, unproven, type Citation, type Ran } from './citations.ts';
import { answersSeen, neverSeen } from './documented.ts';
import { isLongFile, keepLeftOpen, takeLeftOpen, type LeftOpen } from './long-files.ts';
import { isLongRun } from './rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export class CountReporter implements Reporter {
  #vitest: Vitest | null = null;
  /** Whether every test file was to run. */
  #isWhole = false;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunStart(chosen: readonly TestSpecification[]): Promise<void> {
    const all = await this.#vitest!.globTestSpecifications();
    this.#isWhole = chosen.length >= all.length;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const failures = errors.map((error) => `outside of a test: ${firstLineOf(error)}`);
    const ran: Ran[] = [];
    const cited: Citation[] = [];
    for (const module of modules) {
      for (const error of module.errors()) failures.push(`${fileOf(module)}: ${firstLineOf(error)}`);
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state, errors: reasons } = test.result();
        if (state === 'passed' || state === 'skipped') counts[state]++;
        else {
          counts.failed++;
          failures.push(`${fileOf(module)}: ${test.fullName}: ${reasons ? firstLineOf(reasons[0]) : 'did not end'}`);
        }
        ran.push(ranOf(module, test));
        if (state === 'passed') cited.push(...(test.meta().cites ?? []));
      }
    }
    const problems = this.#filtersTests ? [] : this.#unproven(cited, ran);
    counts.failed += problems.length;
    const lines = [
      ...failures.map((failure) => `failed: ${failure}`),
      ...problems.map((problem) => `unproven: ${problem}`),
    ];
    process.on('exit', () => close(counts, lines));
  }

  /** A whole run leaves to the long one what long files prove; the long run takes that over. */
  #unproven(cited: readonly Citation[], ran: readonly Ran[]): string[] {
    if (!this.#isWhole) return unproven(cited, ran, false);
    if (isLongRun) return unprovenWith(takeLeftOpen(), cited, ran);
    const isLeft = ({ file }: Citation): boolean => isLongFile(runnerOf(file));
    keepLeftOpen({ cited: cited.filter(isLeft), seen: answersSeen() });
    return unproven(
      cited.filter((citation) => !isLeft(citation)),
      ran,
      true,
    );
  }

  /** With `-t` most tests are skipped on purpose: nothing can be said of what they prove. */
  get #filtersTests(): boolean {
    return this.#vitest?.config.testNamePattern !== undefined;
  }
}

function ranOf(module: TestModule, test: TestCase): Ran {
  const { state } = test.result();
  return {
    file: fileOf(module),
    fullName: test.fullName,
    state,
    fails: test.options.fails === true,
  };
}

/** What neither a long run nor the run of `npm test` before it has proven. Without the latter only citations of the long run can be judged. */
function unprovenWith(left: LeftOpen | null, cited: readonly Citation[], ran: readonly Ran[]): string[] {
  if (left === null)
    return [
      ...unproven(cited, ran, true),
      ...(process.env['CI'] === 'true' ? ['npm test left nothing to judge its proofs by'] : []),
    ];
  const unseen = neverSeen(new Set([...left.seen, ...answersSeen()]));
  return [
    ...unproven([...cited, ...left.cited], ran, true),
    ...unseen.map((answer) => `docs/openapi.json: ${answer}: no test saw it`),
  ];
}

const fileOf = (module: TestModule): string => relative(root, module.moduleId).replaceAll('\\', '/');

function firstLineOf(error: unknown): string {
  const message = (error as { message?: unknown } | undefined)?.message ?? error;
  return String(message).split('\n', 1)[0]!;
}

/** What went wrong stands together before the count: of a long log often only the end is kept. */
function close(counts: { passed: number; failed: number; skipped: number }, problems: readonly string[]): void {
  if (problems.length > 0) process.exitCode = 1;
  for (const problem of problems) console.log(`\n${problem}`);
  if (counts.skipped > 0) console.log(`\n${counts.skipped} skipped`);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
}

// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter by its default export
export default CountReporter;
