/** Every row of operations.md that speaks of intake has a proof, and the proof holds. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import * as behaviour from '#test/scenario/intake-contract/behaviour.ts';
import { configuration, forms, notification } from '#test/scenario/intake-contract/configuration.ts';
import { ROWS } from '#test/scenario/intake-contract/rows.ts';
import type { Proof, Table } from '#test/scenario/intake-contract/rows.ts';
import { Contract } from '#test/scenario/intake-contract/world.ts';

const contract = new Contract();
afterAll(() => contract.end());

const PROOFS: Readonly<Record<Table, Readonly<Record<string, Proof>>>> = {
  Service: behaviour.service,
  Configuration: configuration(contract),
  Notification: notification,
  Forms: forms,
  Metrics: behaviour.metrics,
  States: behaviour.states,
  Endpoints: behaviour.endpoints,
  Commands: behaviour.commands(contract),
  Authentication: behaviour.authentication,
  Events: behaviour.events,
  Errors: behaviour.errors(contract),
  Limits: behaviour.limits,
  Versioning: behaviour.versioning,
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
