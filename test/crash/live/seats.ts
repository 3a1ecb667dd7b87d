/** Members of one channel that join again by themselves: by the client of the project, and over `/data/live` by hand. */
import { channel, type Client } from '#client/index.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { ClosingSocket } from './closing-socket.ts';
import { isComeBack } from './over-http.ts';
import { pause, type Caller, type World } from './world.ts';

export const ROOM = 'room';
export const KEY = 'desk';
const AGAIN_MS = 100;

export interface From {
  readonly type: string;
  readonly subject: string;
  readonly member?: string;
}

/** One member over all kills; it has another id each time. */
export class Seat {
  readonly caller: Caller;
  /** Null while it is no member. */
  id: string | null = null;
  /** Ids of the members as it was told last. */
  present: readonly string[] = [];
  joins = 0;
  readonly heard: { readonly from: From; readonly payload: string }[] = [];
  readonly faults: unknown[] = [];
  isLeaving = false;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  joined(id: string, present: readonly string[]): void {
    this.id = id;
    this.joins++;
    this.present = present;
  }
}

/** Holds a seat by the client's `channel()`. Gives what leaves it. */
export function sitByClient(client: Client<never>, seat: Seat): () => void {
  const room = channel<null, string>(client, ROOM, { key: KEY });
  const leaving = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const told of room.join({ signal: leaving.signal })) {
      if (told.type === 'joined') seat.joined(told.member, []);
      else if (told.type === 'message') seat.heard.push(told);
      else if (told.type === 'lost') seat.faults.push(told);
      seat.present = room.members.map(({ id }) => id);
    }
  };
  follow().catch((error: unknown) => {
    if (!leaving.signal.aborted) seat.faults.push(error);
  });
  return () => leaving.abort();
}

interface Message {
  readonly type: string;
  readonly status?: number;
  readonly change?: string;
  readonly member?: string | { readonly id: string };
  readonly members?: readonly { readonly id: string }[];
  readonly from?: From;
  readonly payload?: string;
}

/** Holds a seat over a WebSocket of its own. Gives what leaves it. */
export function sitBySocket(world: World, seat: Seat): () => void {
  let socket: WebSocket | null = null;
  const sit = async (): Promise<void> => {
    while (!seat.isLeaving) {
      socket = new ClosingSocket(`${world.gateway.replace('http', 'ws')}/data/live?position=${TENANT}`);
      await overOnce(socket, world, seat);
      await pause(AGAIN_MS);
    }
  };
  void sit();
  return () => {
    seat.isLeaving = true;
    socket?.close();
  };
}

/** Joins over an open socket, again where the host is lost; resolves when the socket has closed. */
function overOnce(socket: WebSocket, world: World, seat: Seat): Promise<void> {
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const join = (): void => {
    if (socket.readyState === WebSocket.OPEN) send({ type: 'join', id: 'a', channel: ROOM, key: KEY });
  };
  socket.addEventListener('open', () => {
    send({ type: 'auth', token: world.token(seat.caller) });
    join();
  });
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as Message;
    if (message.type === 'joined') seat.joined(message.member as string, idsOf(message.members!));
    else if (message.type === 'presence') seat.present = changed(seat.present, message);
    else if (message.type === 'message') seat.heard.push({ from: message.from!, payload: message.payload! });
    else {
      seat.id = null;
      if (message.status !== 503 && !isComeBack(message)) seat.faults.push(message);
      setTimeout(join, AGAIN_MS * 3);
    }
  });
  return new Promise((resolve) => socket.addEventListener('close', () => resolve()));
}

const idsOf = (members: readonly { readonly id: string }[]): string[] => members.map(({ id }) => id);

function changed(present: readonly string[], { change, member }: Message): string[] {
  const { id } = member as { readonly id: string };
  const others = present.filter((one) => one !== id);
  return change === 'leave' ? others : [...others, id];
}
