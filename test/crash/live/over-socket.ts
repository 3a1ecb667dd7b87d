/** Subscribers over WebSockets: many of one connection of `/data/live`, by hand, and of one client of the package graphql-ws. */
import { createClient } from 'graphql-ws';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Random } from '#test/kit/random.ts';
import { ClosingSocket } from './closing-socket.ts';
import type { Follower } from './follower.ts';
import type { ShownNote, Told } from './notes.ts';
import { isComeBack } from './over-http.ts';
import { pause, type World } from './world.ts';

const AGAIN_MS = 80;
/** A connection may send 10 messages a second over time: while its host is away one subscription asks, and then all others. */
const ASK_AGAIN_MS = 300;

interface Message {
  readonly id: string;
  readonly type: string;
  readonly after?: number;
  readonly change?: Told;
  readonly row?: ShownNote;
  readonly status?: number;
  readonly reason?: string;
}

/** Holds a connection with a subscription for each follower, until the test or all of these are over. */
export async function followLive(world: World, followers: readonly Follower[], random: Random): Promise<void> {
  const isOver = (): boolean => world.isOver || followers.every((one) => one.isOver);
  while (!isOver()) {
    await new LiveLine(world, followers).over(isOver);
    for (const follower of followers) follower.cut();
    await pause(random.below(AGAIN_MS));
  }
}

class LiveLine {
  readonly #world: World;
  readonly #followers: readonly Follower[];
  readonly #socket: WebSocket;
  readonly #closed: Promise<number>;
  #asking: NodeJS.Timeout | null = null;
  #isHostAway = false;
  /** Ids that have not been answered yet. */
  readonly #asked = new Set<string>();

  constructor(world: World, followers: readonly Follower[]) {
    this.#world = world;
    this.#followers = followers;
    const socket = new ClosingSocket(`${world.gateway.replace('http', 'ws')}/data/live?position=${TENANT}`);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#ask());
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(data as string) as Message));
    this.#closed = new Promise((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
  }

  async over(isOver: () => boolean): Promise<void> {
    const watch = setInterval(() => isOver() && this.#socket.close(), AGAIN_MS);
    const code = await this.#closed;
    clearInterval(watch);
    clearTimeout(this.#asking ?? undefined);
    if (code >= 4000) for (const follower of this.#followers) follower.fault(`closed with ${code}`);
  }

  /** Subscribes those that are away, each under the credential of its caller; one alone while the host is away, too. */
  #ask(): void {
    this.#asking = null;
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    let shown: string | null = null;
    for (const [no, follower] of this.#followers.entries()) {
      const id = String(no);
      if (!follower.isAway || this.#asked.has(id)) continue;
      this.#asked.add(id);
      const { caller, filter, position } = follower;
      const token = this.#world.token(caller);
      if (token !== shown) this.#send({ type: 'auth', token });
      shown = token;
      const from = position === null ? { snapshot: true } : { after: position };
      this.#send({ type: 'subscribe', id, entity: 'note', where: filter.where, ...from });
      if (this.#isHostAway) return;
    }
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #hear(message: Message): void {
    const follower = this.#followers[Number(message.id)]!;
    this.#asked.delete(message.id);
    switch (message.type) {
      case 'subscribed':
        follower.there();
        if (this.#isHostAway) {
          this.#isHostAway = false;
          this.#ask();
        }
        return;
      case 'change':
        return follower.change(message.change!);
      case 'row':
        return follower.row(message.row!);
      case 'snapshot':
        return follower.snapshot(message.after!);
      case 'idle':
        follower.position = message.after!;
        return;
      case 'reset':
        return follower.reset();
      default:
        if (message.status !== 503 && !isComeBack(message)) follower.fault(JSON.stringify(message));
        follower.cut();
        this.#isHostAway = true;
        this.#asking ??= setTimeout(() => this.#ask(), ASK_AGAIN_MS);
    }
  }
}

interface Event {
  readonly note_changes: Told;
}

const QUERY = (filter: string) => `subscription ($after: Integer) {
  note_changes(after: $after, filter: ${filter}) { seq op id version tx row { id title owner open version } }
}`;

/** The subscriptions of one caller over one client, which comes back by itself. Gives what ends it. */
export function followGraphql(world: World, followers: readonly Follower[], random: Random): () => Promise<void> {
  const { caller } = followers[0]!;
  const cut = (): void => {
    for (const follower of followers) follower.cut();
  };
  const client = createClient({
    url: () => `${world.gateway.replace('http', 'ws')}/data/graphql?position=${TENANT}`,
    connectionParams: () => ({ authorization: world.token(caller) }),
    webSocketImpl: ClosingSocket,
    retryAttempts: Infinity,
    retryWait: () => pause(random.below(AGAIN_MS)),
    shouldRetry: () => true,
    on: {
      closed: (event) => {
        const { code } = event as { code: number };
        if (code >= 4000) for (const follower of followers) follower.fault(`closed with ${code}`);
        cut();
      },
    },
  });
  for (const follower of followers) subscribe(follower);
  return async () => client.dispose();

  function subscribe(follower: Follower): void {
    // The client sends its request as it is then: with the last position.
    const variables = { after: follower.position };
    const again = (): void => {
      follower.cut();
      if (!world.isOver) void pause(AGAIN_MS).then(() => subscribe(follower));
    };
    client.subscribe<Event>(
      { query: QUERY(follower.filter.graphql), variables },
      {
        next: ({ data, errors }) => {
          if (data == null) return follower.fault(JSON.stringify(errors));
          follower.there();
          const { note_changes: told } = data;
          if (told.op === 'idle') follower.position = told.seq;
          else follower.change(told);
          variables.after = follower.position;
        },
        error: (error) => {
          const [first] = Array.isArray(error) ? (error as { extensions?: { status?: number } }[]) : [];
          if (first?.extensions?.status !== 503 && !world.isOver) follower.fault(JSON.stringify(error));
          again();
        },
        complete: () => {
          if (!world.isOver) follower.fault('complete');
        },
      },
    );
  }
}
