/** Every auth flow emits an event when it begins and one with its outcome (docs/contract/identity.md §8.1). */
import type { Call } from '#actors/host/call.ts';
import { Busy } from '#actors/protocol/busy.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { AuthFlow } from './events.ts';
import type { Identity } from './identity.ts';

type Ended = Reply | Refusal;

const codeOf = (outcome: Ended): string => (outcome.kind === 'refusal' ? outcome.code : 'ok');
/** The outcome in the event of a handler that throws: the host answers 503 for Busy, else the refusal of a full store or of a fault. */
const thrownCode = (error: unknown): string => (error instanceof Busy ? 'engine_unavailable' : 'fault');

/** Runs a flow between its two events. Its turn is committed before the second event says `ok`. */
export function told<R extends Ended>(identity: Identity, call: Call, flow: AuthFlow, run: () => R): R {
  identity.emit(call, `auth.${flow}.before`, '', '');
  try {
    const ended = run();
    if (ended.kind === 'reply') call.commit();
    identity.emit(call, `auth.${flow}.after`, '', codeOf(ended));
    return ended;
  } catch (error) {
    identity.emit(call, `auth.${flow}.after`, '', thrownCode(error));
    throw error;
  }
}

/** The same for a flow that waits only sometimes. */
export function toldEither<R extends Ended>(
  identity: Identity,
  call: Call,
  flow: AuthFlow,
  run: () => R | Promise<R>,
): R | Promise<R> {
  identity.emit(call, `auth.${flow}.before`, '', '');
  const end = (ended: R): R => {
    if (ended.kind === 'reply') call.commit();
    identity.emit(call, `auth.${flow}.after`, '', codeOf(ended));
    return ended;
  };
  const fail = (error: unknown): never => {
    identity.emit(call, `auth.${flow}.after`, '', thrownCode(error));
    throw error;
  };
  try {
    const ended = run();
    return ended instanceof Promise ? ended.then(end).catch(fail) : end(ended);
  } catch (error) {
    return fail(error);
  }
}

/** The same for an asynchronous flow. */
export async function toldLater<R extends Ended>(
  identity: Identity,
  call: Call,
  flow: AuthFlow,
  run: () => Promise<R>,
): Promise<R> {
  identity.emit(call, `auth.${flow}.before`, '', '');
  try {
    const ended = await run();
    if (ended.kind === 'reply') call.commit();
    identity.emit(call, `auth.${flow}.after`, '', codeOf(ended));
    return ended;
  } catch (error) {
    identity.emit(call, `auth.${flow}.after`, '', thrownCode(error));
    throw error;
  }
}
