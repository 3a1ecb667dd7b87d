/**
 * What two nodes say of themselves before the first request. A node of another cluster is refused, and so is one with which no protocol is shared; one of another release is not: routes are known by their
 * names, and of the protocols that both speak the newest is taken.
 */
import { z } from 'zod';
import { PROTOCOL_VERSION, type Flat } from '#actors/protocol/frame.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { HELLO, LinkFault, MOVED, kindOf, textAt } from './frames.ts';

/** What a release speaks on links, the oldest first: its own protocol, and the one before while nodes of that release may still be there (docs/decisions/runtime.md RT-52). Batches on a link are those that cross threads, so a new number there is one here. */
export const LINK_PROTOCOLS: readonly number[] = [PROTOCOL_VERSION];

/** A node as it names itself. */
export interface Self {
  /** The id of the log. */
  readonly cluster: string;
  /** Never empty, and rising. */
  readonly protocols: readonly number[];
  readonly release: string;
  readonly node: string;
  /** Its incarnation: storage/log-engine/nodes-port.ts. */
  readonly life: string;
}

export interface Hello extends Omit<Self, 'protocols'> {
  /** In the first hello the oldest that its sender speaks: a release that knows one number alone goes by it. In the answer the one that is spoken from here on. */
  readonly protocol: number;
  /** All that its sender speaks; absent from a release that knows one number alone. */
  readonly protocols?: readonly number[] | undefined;
  /** Whom it takes the other side for: the life that it saw serve. Of an answer its own. */
  readonly to: string;
  /** The names of its routes, each at the place of its number. */
  readonly routes: readonly string[];
  /** What the link is for: requests of doors, or hosts that the other node carries. A node that says nothing means its doors. */
  readonly purpose: Purpose;
  /** Of doors: whether they take referrals (referral-frames.ts). */
  readonly refers: boolean;
  /** Of a node that carries hosts: how many it has room for, by which places are shared out; 0 where it says nothing. */
  readonly room: number;
}

export type Purpose = 'doors' | 'hosts';

/** `protocol`: the one that is spoken, in an answer. */
type Said = Partial<Pick<Hello, 'protocol' | 'purpose' | 'refers' | 'room'>>;

export function helloFrame(self: Self, to: string, routes: readonly string[], said: Said = {}): Flat {
  return [HELLO, JSON.stringify({ ...self, protocol: self.protocols[0]!, to, routes, ...said })];
}

export const movedFrame = (why: string): Flat => [MOVED, why];

/** What is no route: pages of sites. Its number is behind theirs, and it is known by a name as they are. */
const PAGES = 'door.page';

export const routeNames = (routes: readonly CompiledRoute[]): string[] => [
  ...routes.map(({ name, service }) => `${service}.${name}`),
  PAGES,
];

/** Throws LinkFault for what is no hello of this cluster. */
export function readHello(frame: Flat, { cluster }: Self): Hello {
  if (frame[0] !== HELLO) throw new LinkFault(`a frame of kind ${kindOf(frame)} before the first hello`);
  const hello = parse(textAt(frame, 1));
  if (hello.cluster !== cluster) throw new LinkFault('a node of another cluster: its log is another one');
  return hello;
}

/** The newest protocol that both speak, of a first hello, or the one that an answer names. Throws LinkFault where there is none. */
export function agreedIn({ protocol, protocols, release }: Hello, self: Self, isAnswer: boolean): number {
  const theirs = isAnswer ? [protocol] : (protocols ?? [protocol]);
  const agreed = self.protocols.findLast((own) => theirs.includes(own));
  if (agreed !== undefined) return agreed;
  throw new LinkFault(
    `protocol ${theirs.join(', ')}, here ${self.protocols.join(', ')}: release ${release} is too far`,
  );
}

const helloShape = z.object({
  cluster: z.string(),
  release: z.string(),
  node: z.string(),
  life: z.string(),
  to: z.string(),
  protocol: z.number(),
  protocols: z.array(z.number()).optional(),
  routes: z.array(z.string()),
  purpose: z.enum(['doors', 'hosts']).default('doors'),
  refers: z.boolean().default(false),
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
