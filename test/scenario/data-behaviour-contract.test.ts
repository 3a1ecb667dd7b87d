/** Every row of the contract (docs/contract/data-behaviour.md) for stateflows, actions and scripted endpoints has a proof. */
import { proveContract } from '#test/kit/contract-table.ts';
import { BEHAVIOUR, behaviour } from '#test/scenario/data-contract/behaviour.ts';

proveContract(BEHAVIOUR, behaviour());
