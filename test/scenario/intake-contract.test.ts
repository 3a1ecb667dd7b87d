/** Every row of docs/contract/intake.md has a proof, and the proof holds. */
import { afterAll } from 'vitest';
import { proveContract } from '#test/kit/contract-table.ts';
import * as behaviour from '#test/scenario/intake-contract/behaviour.ts';
import { configuration, forms, notification } from '#test/scenario/intake-contract/configuration.ts';
import { ROWS } from '#test/scenario/intake-contract/rows.ts';
import { Contract } from '#test/scenario/intake-contract/world.ts';

const contract = new Contract();
afterAll(() => contract.end());

proveContract(ROWS, {
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
});
