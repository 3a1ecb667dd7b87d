/** A pass of a tenant's runner: fields that are new are filled, then their tasks and all others are done. */
import type { Activation } from '#actors/host/activation.ts';
import type { Work } from '#actors/host/work.ts';
import { partOf } from '../part.ts';
import { Drain } from './drain.ts';
import { fill, unfilled } from './fill.ts';
import { Runner, setRunner, type UnderWay, type Wanted } from './runner.ts';
import { taskCounts, type Store } from '#actors/engine/derived/store.ts';

async function pass(work: Work, wanted: Wanted, underWay: UnderWay): Promise<number> {
  await fill(work);
  return new Drain(work, underWay).pass(wanted);
}

/** Whether a runner would find something to do, as far as the store tells without definitions. */
export function hasTasks(store: Store): boolean {
  const turn = store.begin();
  const { all, failed } = taskCounts(turn);
  turn.abort();
  return all > failed;
}

/** Gives a tenant that wakes its runner, and kicks it when a crash, or a changed definition, has left something to do. */
export function startRunner(activation: Activation, active: boolean): void {
  const runner = new Runner(activation, active, pass);
  setRunner(activation, runner);
  const turn = activation.store.begin();
  const isUnfilled = unfilled(turn, partOf(activation).models).length > 0;
  turn.abort();
  if (isUnfilled || hasTasks(activation.store)) runner.kick();
}
