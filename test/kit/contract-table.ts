/**
 * A contract's rows and their proofs. Every service lists what each row of its tables says, one text each
 * (`test/scenario/<service>-contract/rows.ts`), and gives each row a proof: a missing one is a compile error, and a failure.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** What shows a row: a test of its own, another test by file and title, or why nothing can meet it. */
export type Proof =
  | (() => Promise<void> | void)
  | { readonly file: string; readonly title: string }
  | { readonly unreachable: string };

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
  else test(`${row}: ${proof.file}`, () => expect(titlesOf(proof.file)).toContain(proof.title));
}

const read = new Map<string, readonly string[]>();

/** What a test file calls its tests; a proof that was renamed, removed or switched off fails here. */
function titlesOf(file: string): readonly string[] {
  const known = read.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const running = text.split('\n').filter((line) => !/\b(?:test|it|describe)\.(?:skip|todo)\(/.test(line));
  const titles = [...running.join('\n').matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1/g)].map(([, , title]) => title!);
  read.set(file, titles);
  return titles;
}
