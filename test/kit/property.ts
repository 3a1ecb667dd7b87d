/**
 * fast-check, whose lists here become as long as their `maxLength` says (by default it makes ten elements of them, whatever is asked),
 * and whose runs start from the seed of all tests (seed.ts).
 */
import fc from 'fast-check';
import { testSeed } from './seed.ts';

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, seed: testSeed() });

export { fc };
