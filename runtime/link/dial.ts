/** A link that this node makes to another one: the connection, and what both say first. */
import { connect } from 'node:tls';
import { parseBind } from '#config/bind.ts';
import { limits } from '#config/limits.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { LinkFault, MOVED, textAt } from './frames.ts';
import { agreedIn, helloFrame, readHello, type Hello, type Purpose, type Self } from './hello.ts';
import { LinkEnd } from './link-end.ts';
import { checkedAs, tlsOf, type LinkConfig } from './link-tls.ts';

const { helloMs } = limits.cluster.link;

/** A life of another node, as the beats of this one see it. */
export interface Mate {
  readonly node: string;
  /** The id of its life. */
  readonly id: string;
  /** Where its link listens; null where it has none. */
  readonly link: string | null;
}

export interface DialPorts {
  readonly self: Self;
  readonly config: LinkConfig;
  /** Names of the routes of this node. */
  readonly routes: readonly string[];
  readonly purpose: Purpose;
  /** The other node has answered: it takes frames from now on. May throw LinkFault. */
  greeted(hello: Hello, end: LinkEnd): void;
  /** Takes a frame behind that. May throw LinkFault. */
  take(frame: Flat, end: LinkEnd): void;
  /** Called once, and not before `dial` has returned. */
  gone(why: string, wasGreeted: boolean): void;
}

/** Throws where the mate has no link, or a file of this node cannot be read. */
export function dial({ id, link, node }: Mate, ports: DialPorts): LinkEnd {
  const { config, purpose, routes, self } = ports;
  const at = parseBind(link ?? '');
  if (at === null) throw new LinkFault(`node ${node} has no cluster.link`);
  const socket = connect({ ...tlsOf(config), ...at, checkServerIdentity: checkedAs(node) });
  let isGreeted = false;
  const end: LinkEnd = new LinkEnd(socket, {
    take: (frame) => {
      if (isGreeted) return ports.take(frame, end);
      if (frame[0] === MOVED) throw new LinkFault(textAt(frame, 1));
      const hello = readHello(frame, self);
      if (hello.life !== id) throw new LinkFault('it is another life of that node');
      agreedIn(hello, self, true);
      clearTimeout(late);
      end.greeted();
      isGreeted = true;
      return ports.greeted(hello, end);
    },
    gone: (why) => {
      clearTimeout(late);
      ports.gone(why, isGreeted);
    },
  });
  const late = setTimeout(() => end.end('it does not answer'), helloMs);
  socket.setNoDelay(true);
  socket.once('secureConnect', () => end.send(helloFrame(self, id, routes, { purpose, refers: purpose === 'doors' })));
  return end;
}

/** Until a link that was lost is tried again: twice as long each time, and not all nodes at once. Milliseconds. */
export function retryAfter(failures: number): number {
  const { retryMs, retryMsMax } = limits.cluster.link;
  return Math.min(retryMs * 2 ** failures, retryMsMax) * (0.5 + Math.random() / 2);
}
