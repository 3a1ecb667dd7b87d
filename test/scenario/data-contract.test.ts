/** Every row of the contract (data.md) for these sections has a proof, and the proof holds: over HTTP against a real node wherever a caller can cause it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Depot } from '#test/kit/depot.ts';
import { CASES } from './data-query.cases.ts';
import { reading } from '#test/scenario/data-contract/reading.ts';
import { ROWS } from '#test/scenario/data-contract/rows.ts';
import type { Proof, Table } from '#test/scenario/data-contract/rows.ts';
import { surfaces } from '#test/scenario/data-contract/surfaces.ts';
import { writing } from '#test/scenario/data-contract/writing.ts';

let depot: Depot;
beforeAll(async () => {
  depot = await Depot.open();
});
afterAll(() => depot.node.stop());

const PROOFS: Readonly<Record<Table, Readonly<Record<string, Proof>>>> = {
  ...reading(() => depot),
  ...writing(() => depot),
  ...surfaces(() => depot),
};
/** Walked in tests of their own (data-query-contract.test.ts). */
const READ: ReadonlySet<string> = new Set(CASES.map(({ proves }) => proves));

describe.each(Object.keys(ROWS) as Table[])('%s', (table) => {
  test('has a proof for every row, and none for a row that there is not', () => {
    expect(Object.keys(PROOFS[table]).toSorted()).toEqual([...ROWS[table]].toSorted());
  });

  for (const row of ROWS[table]) {
    const proof = PROOFS[table][row];
    if (typeof proof === 'function') test(row, { timeout: 30_000 }, proof);
    else if (proof === undefined) test(row, () => expect.unreachable('the row has no proof'));
    else if ('reading' in proof) test(`${row}: ${proof.reading}`, () => expect(READ).toContain(proof.reading));
    else if ('unreachable' in proof)
      test(`${row}: unreachable, ${proof.unreachable}`, () => expect(proof.unreachable).toMatch(/\w+ \w+ \w+/));
    else test(`${row}: ${proof.file}`, () => expect(titlesOf(proof.file)).toContain(proof.title));
  }
});

/** What a test file calls its tests; a proof that was renamed or removed fails here. */
function titlesOf(file: string): string[] {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  return [...text.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1/g)].map(([, , title]) => title!);
}
