/** Every row of the contract's tables (identity.md) has a proof, and the proof holds: over HTTP against real nodes wherever a caller can cause it. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { authentication } from '#test/scenario/identity-contract/authentication.ts';
import { endpoints } from '#test/scenario/identity-contract/endpoints.ts';
import { errors, events } from '#test/scenario/identity-contract/errors.ts';
import { limits } from '#test/scenario/identity-contract/limits.ts';
import { resources } from '#test/scenario/identity-contract/resources.ts';
import { ROWS } from '#test/scenario/identity-contract/rows.ts';
import type { Proof, Table } from '#test/scenario/identity-contract/rows.ts';
import { states } from '#test/scenario/identity-contract/states.ts';
import { Contract } from '#test/scenario/identity-contract/world.ts';

const contract = new Contract();
afterAll(() => contract.end());

const PROOFS: Readonly<Record<Table, Readonly<Record<string, Proof>>>> = {
  Resources: resources(contract),
  Endpoints: endpoints(contract),
  States: states(contract),
  Authentication: authentication(contract),
  Events: events(contract),
  Errors: errors(contract),
  Limits: limits(contract),
};

describe.each(Object.keys(ROWS) as Table[])('%s', (table) => {
  test('has a proof for every row, and none for a row that there is not', () => {
    expect(Object.keys(PROOFS[table]).toSorted()).toEqual([...ROWS[table]].toSorted());
  });

  for (const row of ROWS[table]) {
    const proof = PROOFS[table][row]!;
    if (typeof proof === 'function') test(row, { timeout: 30_000 }, proof);
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
