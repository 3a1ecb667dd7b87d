/** Prints the closing line that CI reads: `N passed, N failed`. */
import type { Reporter, TestModule } from 'vitest/node';

export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === 'passed' || state === 'failed' || state === 'skipped') counts[state]++;
        else counts.failed++;
      }
    }
    process.on('exit', () => {
      if (counts.skipped > 0) console.log(`\n${counts.skipped} skipped`);
      console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
    });
  }
}

// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter by its default export
export default CountReporter;
