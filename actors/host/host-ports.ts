/** What a host is given: wires, clock, storage, and the services that live in it. */
import type { Body } from '#actors/protocol/frame.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import type { Activation, Log } from './activation.ts';
import type { CompiledRoute } from './call.ts';
import type { Pulse } from './pulse.ts';
import type { AnyHandler, Service } from './service.ts';
import type { PostStream } from './streams.ts';

export interface HostPorts {
  readonly log: Log;
  readonly routes: readonly CompiledRoute[];
  readonly services: ReadonlyMap<string, Service>;
  /** Wakes a tenant: definitions loaded, store opened, every service's part built. */
  wake(tenantNo: number): Promise<Activation>;
  /** The tenant whose activation serves routes without a position (the control plane on its host); null elsewhere. */
  readonly planeNo: number | null;
  /** One reply record; `body` is text, bytes, or the length of a body that follows in pieces (STREAMED: unknown). */
  send(no: number, status: number, headers: string, body: Body | number): void;
  /** One stream message, behind the replies sent before; absent where no route streams. */
  readonly stream?: PostStream;
  /** Runs a function in a later turn of the event loop, after I/O had its chance (setImmediate). */
  later(run: () => void): void;
  /** Runs a function once the microtasks that wait now, and those that follow from them, have run; absent where nothing is measured. */
  afterMicrotasks?(run: () => void): void;
  /** Runs a function after so many milliseconds; absent where no tenant writes. */
  after?(ms: number, run: () => void): void;
  /** Milliseconds, monotonic. */
  monotonic(): number;
  /** Whether this node may still answer by what it knows: asked as an answer leaves that rests on no record of its own. Absent where no other node can take its place. */
  readonly mayAnswer?: (() => boolean) | undefined;
  /** Whether this node had its place in a moment behind the call: waited for by each answer that rests on no record of its own, before it leaves. Absent where none waits. */
  readonly confirms?: (() => Promise<boolean>) | undefined;
  /** Where main's watchdog sees what this thread works on; absent in tests. */
  readonly pulse?: Pulse;
  /** Takes the spans of traced calls; null where nothing is traced. */
  readonly spans?: Spans | null;
  /** Called with the length of one turn in sixteen. */
  observeTurn?(service: string, ms: number): void;
}

/** A route of a service on another thread: only a fault of the door could send a call of it here. */
export const absent: AnyHandler = (call) => {
  throw new Error(`${call.route.service} does not live here`);
};

export const noStreams: PostStream = (no) => {
  throw new Error(`request ${no} streams where no route does`);
};
