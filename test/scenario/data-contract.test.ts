/** Every row of the contract (docs/contract/data.md) for these sections has a proof, and the proof holds: over HTTP against a real node wherever a caller can cause it. */
import { afterAll, beforeAll } from 'vitest';
import { proveContract } from '#test/kit/contract-table.ts';
import { Depot } from '#test/kit/depot.ts';
import { reading } from '#test/scenario/data-contract/reading.ts';
import { ROWS } from '#test/scenario/data-contract/rows.ts';
import { surfaces } from '#test/scenario/data-contract/surfaces.ts';
import { writing } from '#test/scenario/data-contract/writing.ts';

let depot: Depot;
beforeAll(async () => {
  depot = await Depot.open();
});
afterAll(() => depot.node.stop());

proveContract(ROWS, {
  ...reading(() => depot),
  ...writing(() => depot),
  ...surfaces(() => depot),
});
