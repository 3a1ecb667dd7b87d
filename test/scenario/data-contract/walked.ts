/** Rows that data-query-contract.test.ts walks, each in a test of its own. */
import { expect } from 'vitest';
import { CASES } from '#test/scenario/data-query-contract/cases.ts';

const WALKED: ReadonlySet<string> = new Set(CASES.map(({ proves }) => proves));

/** A proof that the case of this name is among those. */
export const walked = (proves: string) => (): void => expect(WALKED).toContain(proves);
