/** Every row of the contract's tables (docs/contract/identity.md) has a proof, and the proof holds: over HTTP against real nodes wherever a caller can cause it. */
import { afterAll } from 'vitest';
import { proveContract } from '#test/kit/contract-table.ts';
import { authentication } from '#test/scenario/identity-contract/authentication.ts';
import { endpoints } from '#test/scenario/identity-contract/endpoints.ts';
import { errors, events } from '#test/scenario/identity-contract/errors.ts';
import { limits } from '#test/scenario/identity-contract/limits.ts';
import { resources } from '#test/scenario/identity-contract/resources.ts';
import { ROWS } from '#test/scenario/identity-contract/rows.ts';
import { states } from '#test/scenario/identity-contract/states.ts';
import { Contract } from '#test/scenario/identity-contract/world.ts';

const contract = new Contract();
afterAll(() => contract.end());

proveContract(ROWS, {
  Resources: resources(contract),
  Endpoints: endpoints(contract),
  States: states(contract),
  Authentication: authentication(contract),
  Events: events(contract),
  Errors: errors(contract),
  Limits: limits(contract),
});
