/** What two nodes say of themselves before the first request. A node of another cluster, or of another protocol, is refused; one of another release is not: routes are known by their names. */
import { z } from 'zod';
import { PROTOCOL_VERSION } from '#actors/protocol/frame.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { HELLO, LinkFault, MOVED, kindOf, textAt } from './frames.ts';

/** A node as it names itself. */
export interface Self {
  /** The id of the log. */
  readonly cluster: string;
  readonly release: string;
  readonly node: string;
  /** Its incarnation: storage/log-engine/nodes-port.ts. */
  readonly life: string;
}

export interface Hello extends Self {
  readonly protocol: number;
  /** Whom it takes the other side for: the life that it saw serve. Of an answer its own. */
  readonly to: string;
  /** The names of its routes, each at the place of its number. */
  readonly routes: readonly string[];
  /** What the link is for: requests of doors, or hosts that the other node carries. A node that says nothing means its doors. */
  readonly purpose: Purpose;
  /** Of a node that carries hosts: how many it has room for, by which places are shared out; 0 where it says nothing. */
  readonly room: number;
}

export type Purpose = 'doors' | 'hosts';

type Said = Partial<Pick<Hello, 'purpose' | 'room'>>;

export function helloFrame(self: Self, to: string, routes: readonly string[], said: Said = {}): Flat {
  return [HELLO, JSON.stringify({ ...self, protocol: PROTOCOL_VERSION, to, routes, ...said })];
}

export const movedFrame = (why: string): Flat => [MOVED, why];

/** What is no route: pages of sites. Its number is behind theirs, and it is known by a name as they are. */
const PAGES = 'door.page';

export const routeNames = (routes: readonly CompiledRoute[]): string[] => [
  ...routes.map(({ name, service }) => `${service}.${name}`),
  PAGES,
];

/** Throws LinkFault for what is no hello of this cluster and protocol. */
export function readHello(frame: Flat, { cluster }: Self): Hello {
  if (frame[0] !== HELLO) throw new LinkFault(`a frame of kind ${kindOf(frame)} before the first hello`);
  const hello = parse(textAt(frame, 1));
  if (hello.cluster !== cluster) throw new LinkFault('a node of another cluster: its log is another one');
  if (hello.protocol !== PROTOCOL_VERSION)
    throw new LinkFault(`protocol ${hello.protocol}, here ${PROTOCOL_VERSION}: release ${hello.release} is too far`);
  return hello;
}

const helloShape = z.object({
  cluster: z.string(),
  release: z.string(),
  node: z.string(),
  life: z.string(),
  to: z.string(),
  protocol: z.number(),
  routes: z.array(z.string()),
  purpose: z.enum(['doors', 'hosts']).default('doors'),
  room: z.number().int().min(0).default(0),
});

/** Why hosts of that node cannot run here; null where they can: their requests name routes by number. */
export function otherThan(self: Self, own: readonly string[], { release, routes }: Hello): string | null {
  if (release !== self.release) return `it is of release ${release}, and this node of ${self.release}`;
  return routes.join() === own.join() ? null : 'its platform file has other routes than that of this node';
}

function parse(text: string): Hello {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new LinkFault('a hello that is no JSON', { cause: error });
  }
  const { data } = helloShape.safeParse(read);
  if (data === undefined) throw new LinkFault('a hello without what it has to say');
  return data;
}

/** By number of the other side: the own number of the route of that name, or -1 where this release has none; of pages `routes.length`. */
export function mapRoutes(names: readonly string[], routes: readonly CompiledRoute[]): readonly number[] {
  const own = new Map(routeNames(routes).map((name, no) => [name, no]));
  return names.map((name) => own.get(name) ?? -1);
}
