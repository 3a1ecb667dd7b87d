/** A service whose answers say which request they are for: rows are put under the number of their order, and never change. */
import type { Call, CompiledRoute } from '#actors/host/call.ts';
import { replaying } from '#actors/host/idempotency/replay.ts';
import type { AnyHandler, Service } from '#actors/host/service.ts';
import { BodyCut } from '#actors/host/body-stream.ts';
import { callers } from '#actors/protocol/callers.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { reply, replyStream, replyText, type Reply, type RouteRow } from '#actors/protocol/route.ts';
import type { Turn } from '#storage/port.ts';

export const FROM = 'order:';
export const TO = 'order;';
export const BODY_BYTES_MAX = 12_000;
const NAME = 'orders';
const USER: Principal = { ...ANONYMOUS, type: 'user', subject: 'ada' };
export const PIECE_BYTES = 20_000;

export const refusals = defineRefusals({
  key_invalid: { statuses: [400], family: 'coded', cause: 'the key is malformed' },
  key_reused: { statuses: [422], family: 'coded', cause: 'the key was used with another request' },
  key_in_use: { statuses: [409], family: 'coded', cause: 'the first request is running' },
  malformed: { statuses: [400], family: 'coded', cause: 'the body is no order' },
  busy: { statuses: [503], family: 'coded', cause: 'the mailbox is full' },
});
const refuse = refuserOf(refusals);

const base = { position: 'door', callers: callers({ users: [{}] }), ack: 'fsync', summary: '' } as const;
const row = (
  method: RouteRow['methods'][number],
  path: string,
  status: number,
  more: Partial<RouteRow> = {},
): RouteRow => ({ ...base, methods: [method], path, body: 'none', replies: { [status]: null }, refusals: [], ...more });

const KEYED = {
  body: 'json',
  bodyBytesMax: BODY_BYTES_MAX,
  rate: 'writes',
  headers: ['idempotency-key'],
  refusals: ['key_invalid', 'key_reused', 'key_in_use', 'malformed'],
} as const;

export const rows = {
  put: row('POST', '/orders/{name}', 201, KEYED),
  later: row('POST', '/orders/{name}/later', 201, KEYED),
  list: row('GET', '/orders/{name}', 200),
  up: row('POST', '/orders/{name}/up', 201, { body: 'stream' }),
  down: row('GET', '/orders/{name}/down', 200),
  large: row('GET', '/orders/{name}/large', 200),
  hold: row('POST', '/orders/{name}/hold', 201),
} as const;
export type Kind = keyof typeof rows;

export const ROUTES: readonly CompiledRoute[] = Object.entries(rows).map(([name, one], no) => ({
  no,
  name,
  service: NAME,
  row: one,
  paramNames: ['name'],
}));

export interface ServicePorts {
  readonly after: (ms: number, run: () => void) => void;
  /** The thread does nothing else for so long. */
  readonly hold: (ms: number) => void;
  /** Something went wrong that no caller can bring about. */
  readonly fault: (error: Error) => void;
}

export function ordersService({ after, hold, fault }: ServicePorts): Service {
  const wait = (ms: number): Promise<void> => new Promise((resolve) => after(ms, resolve));
  const handlers: Readonly<Record<Kind, AnyHandler>> = {
    put: (call: Call) => orderOf(call, call.turn()),
    later: async (call: Call) => {
      await wait(number(call, 'ms'));
      return orderOf(call, call.nextTurn());
    },
    list: (call: Call) => reply(200, { no: number(call, 'no'), orders: ordersIn(call.turn()) }),
    up: async (call: Call) => {
      let bytes = 0;
      for await (const piece of call.stream!) {
        bytes += piece.byteLength;
        if (call.query.has('ms')) await wait(number(call, 'ms'));
      }
      return put(call.nextTurn(), number(call, 'no'), call.param('name'), bytes);
    },
    down: (call: Call) => {
      const [no, bytes] = [number(call, 'no'), number(call, 'bytes')];
      const pieces = piecesOf(no, bytes, () => wait(number(call, 'ms')));
      return replyStream(200, { length: null, pieces }, 'text/plain');
    },
    large: (call: Call) => replyText(200, textOf(number(call, 'no'), number(call, 'bytes')), 'text/plain'),
    hold: async (call: Call) => {
      hold(number(call, 'ms'));
      await wait(number(call, 'ms'));
      return put(call.nextTurn(), number(call, 'no'), call.param('name'), 0);
    },
  };
  return {
    name: NAME,
    routes: rows,
    handlers: replaying(rows, handlers, {
      invalid: () => refuse('key_invalid'),
      reused: () => refuse('key_reused'),
      inUse: (told) => refuse('key_in_use', told),
      claiming: new Set(),
    }),
    authenticate: () => USER,
    unavailable: (call, why) => {
      if (why === 'fault' && call.route.name !== 'up') fault(new Error(`${call.route.name} has failed`));
      return refuse('busy');
    },
    activate: () => undefined,
  };
}

/** Whether a handler may end with it: its caller has left. */
export const isOfCaller = (error: unknown): boolean => error instanceof BodyCut;

function orderOf(call: Call, turn: Turn): Reply | ReturnType<typeof refuse> {
  const json = call.json();
  if (!json.ok) return refuse('malformed');
  const { no } = json.value as { no: number };
  return put(turn, no, call.param('name'), 0);
}

function put(turn: Turn, no: number, name: string, bytes: number): Reply {
  turn.put(`${FROM}${no}`, Buffer.from(name));
  return reply(201, { no, bytes });
}

const number = (call: Call, name: string): number => Number(call.query.get(name));

export const ordersIn = (turn: Turn): number[] =>
  [...turn.range(FROM, TO)].map(({ key }) => Number(key.slice(FROM.length)));

/** A text that no other request has. */
export function textOf(no: number, bytes: number): string {
  return `${no} `.repeat(Math.ceil(bytes / `${no} `.length)).slice(0, bytes);
}

async function* piecesOf(no: number, bytes: number, pause: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(textOf(no, bytes), 'latin1');
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    await pause();
    yield new Uint8Array(all.subarray(at, at + PIECE_BYTES));
  }
}
