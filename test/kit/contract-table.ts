/**
 * A contract's rows and their proofs. Every service lists what each row of its tables says, one text each
 * (`test/scenario/<service>-contract/rows.ts`), and gives each row a proof: a missing one is a compile error, and a failure.
 */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Citation } from './citations.ts';

/** What shows a row: a test of its own, another test (which must run and pass in the same run), or why nothing can meet it. */
export type Proof = (() => Promise<void> | void) | Citation | { readonly unreachable: string };

/** The rows of each table. */
export type Rows = Readonly<Record<string, readonly string[]>>;
/** One proof for every row of a table. */
export type ProofsOf<R extends Rows, T extends keyof R> = Readonly<Record<R[T][number], Proof>>;

/** Declares a test for every row: that it has a proof, and that the proof holds. */
export function proveContract<const R extends Rows>(
  rows: R,
  proofs: { readonly [T in keyof R]: ProofsOf<R, T> },
): void {
  describe.each(Object.keys(rows))('%s', (table) => {
    const given: Readonly<Record<string, Proof>> = proofs[table]!;
    test('has a proof for every row, and none for a row that there is not', () => {
      expect(Object.keys(given).toSorted()).toEqual([...rows[table]!].toSorted());
    });
    for (const row of rows[table]!) proveRow(row, given[row]);
  });
}

function proveRow(row: string, proof: Proof | undefined): void {
  if (proof === undefined) test(row, () => expect.unreachable('the row has no proof'));
  else if (typeof proof === 'function') test(row, { timeout: 30_000 }, proof);
  else if ('unreachable' in proof)
    test(`${row}: unreachable, ${proof.unreachable}`, () => expect(proof.unreachable).toMatch(/\w+ \w+ \w+/));
  else
    test(`${row}: ${proof.file}`, ({ task }) => {
      task.meta.cites = [proof];
      expect(existsSync(new URL(`../../${proof.file}`, import.meta.url)), proof.file).toBe(true);
    });
}
