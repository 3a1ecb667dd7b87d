/** The order of test files: those that take minutes come first, so that no process ends long after the others. Vitest goes by their size where it has not run them before, and some are long tables in other files. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'test/scenario/docs-commands.test.ts',
  'test/scenario/package.test.ts',
  'test/scenario/image.test.ts',
  'test/scenario/identity-contract.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean =>
      LONGEST.some((file) => moduleId.endsWith(`/${file}`));
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}
