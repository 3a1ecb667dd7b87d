/** What every log engine does about the nodes on a log, in memory or elsewhere. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Fate } from './memory.ts';
import type { Incarnation, NodeEngine } from '#storage/log-engine/nodes-port.ts';
import type { Say } from './engine.cases.ts';
import { isUnknown } from './world.ts';

export interface NodePeer {
  readonly nodes: NodeEngine;
  /** What becomes of the next call. */
  readonly doom: (fate: Fate) => void;
}

export interface NodeWorld {
  readonly connect: () => Promise<NodePeer>;
  /** Requests that their callers gave up arrive now, and have run when it resolves. */
  readonly deliver: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export type OpenNodeWorld = () => Promise<NodeWorld>;

/** The first one has a link. */
const lifeOf = (node: string): Incarnation => ({
  id: randomUUID(),
  node,
  place: `place of ${node}`,
  leaseMs: 15_000,
  ...(node === 'a' && { link: '10.0.0.1:7400' }),
});

/** Two callers with a life each; none serves. */
function inNodeWorld(
  open: OpenNodeWorld,
  run: (a: NodePeer, b: NodePeer, lives: readonly [Incarnation, Incarnation], world: NodeWorld) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const world = await open();
    try {
      const [a, b] = [await world.connect(), await world.connect()];
      const lives = [lifeOf('a'), lifeOf('b')] as const;
      await a.nodes.register(lives[0]);
      await b.nodes.register(lives[1]);
      await run(a, b, lives, world);
    } finally {
      await world.close();
    }
  };
}

export function nodesCases(open: OpenNodeWorld, it: Say): void {
  beatCases(open, it);
  condemnCases(open, it);
  serveCases(open, it);
  handOverCases(open, it);
  carryCases(open, it);
}

function beatCases(open: OpenNodeWorld, it: Say): void {
  it(
    'a beat shows all lives as they were when it ran, and who serves',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      expect(await a.nodes.beat(mine.id, 1)).not.toBeNull();
      expect(await a.nodes.beat(mine.id, 2)).not.toBeNull();
      expect(await b.nodes.serve(other.id, null)).toBe(true);
      const sight = await b.nodes.beat(other.id, 1);
      const byName = sight!.nodes.toSorted((one, two) => one.node.localeCompare(two.node));
      expect(byName).toEqual([
        { ...mine, beat: 2, isFenced: false, follows: null, heir: null, carries: null },
        { ...other, beat: 0, isFenced: false, follows: null, heir: null, carries: null },
      ]);
      expect(sight!.serving).toBe(other.id);
    }),
  );

  it(
    'a beat and a beginning whose outcome is unknown are the same when they come again',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      const life = lifeOf('c');
      a.doom('answer lost');
      expect(await isUnknown(a.nodes.register(life))).toBe(true);
      await a.nodes.register(life);
      a.doom('answer lost');
      expect(await isUnknown(a.nodes.beat(mine.id, 1))).toBe(true);
      expect(await a.nodes.beat(mine.id, 1)).not.toBeNull();
      a.doom('request lost');
      expect(await isUnknown(a.nodes.beat(mine.id, 2))).toBe(true);
      expect(await a.nodes.beat(mine.id, 2)).not.toBeNull();
      const sight = await b.nodes.beat(other.id, 1);
      expect(sight!.nodes.find(({ id }) => id === mine.id)).toMatchObject({ beat: 2 });
      expect(sight!.nodes).toHaveLength(3);
      expect(sight!.serving).toBeNull();
    }),
  );

  it(
    'a late beat takes nothing back, and a life without a beginning has none',
    inNodeWorld(open, async (a, b, [mine, other], world) => {
      a.doom('request late');
      expect(await isUnknown(a.nodes.beat(mine.id, 1))).toBe(true);
      await a.nodes.beat(mine.id, 2);
      await world.deliver();
      const sight = await b.nodes.beat(other.id, 1);
      expect(sight!.nodes.find(({ id }) => id === mine.id)).toMatchObject({ beat: 2 });
      expect(await a.nodes.beat(randomUUID(), 1)).toBeNull();
    }),
  );
}

function handOverCases(open: OpenNodeWorld, it: Say): void {
  it(
    'a life says how far it follows, and sees to whom it is told to hand over',
    inNodeWorld(open, async (a, b, [mine, other], world) => {
      await b.nodes.beat(other.id, 1, { behind: 3, ageMs: null });
      await b.nodes.beat(other.id, 2, { behind: 1, ageMs: 250 });
      a.doom('answer lost');
      expect(await isUnknown(a.nodes.handOver(mine.id, other.id))).toBe(true);
      expect(await a.nodes.handOver(mine.id, other.id)).toBe(true);
      const sight = await a.nodes.beat(mine.id, 1);
      expect(sight!.nodes.find(({ id }) => id === mine.id)).toMatchObject({ heir: other.id, follows: null });
      expect(sight!.nodes.find(({ id }) => id === other.id)).toMatchObject({
        heir: null,
        follows: { behind: 1, ageMs: 250 },
      });
      await b.nodes.beat(other.id, 3);
      expect((await a.nodes.beat(mine.id, 2))!.nodes.find(({ id }) => id === other.id)!.follows).toBeNull();
      await world.deliver();
    }),
  );

  it(
    'no life hands over to one that is over, and one that is over hands over to none',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      expect(await a.nodes.handOver(mine.id, randomUUID())).toBe(false);
      await b.nodes.leave(other.id);
      expect(await a.nodes.handOver(mine.id, other.id)).toBe(false);
      expect(await a.nodes.handOver(other.id, mine.id)).toBe(false);
      expect((await a.nodes.beat(mine.id, 1))!.nodes.every(({ heir }) => heir === null)).toBe(true);
    }),
  );
}

function condemnCases(open: OpenNodeWorld, it: Say): void {
  it(
    'a life is condemned at the beat that was seen, and beats no more',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      await a.nodes.beat(mine.id, 1);
      expect(await b.nodes.condemn(mine.id, 0)).toBe(false);
      expect(await a.nodes.beat(mine.id, 2)).not.toBeNull();
      expect(await b.nodes.condemn(mine.id, 2)).toBe(true);
      expect(await a.nodes.beat(mine.id, 3)).toBeNull();
      const sight = await b.nodes.beat(other.id, 1);
      expect(sight!.nodes.find(({ id }) => id === mine.id)).toMatchObject({ beat: 2, isFenced: true });
      expect(await b.nodes.condemn(randomUUID(), 0)).toBe(false);
    }),
  );

  it(
    'condemning is found done when it comes again, and a beat that comes behind it is none',
    inNodeWorld(open, async (a, b, [mine], world) => {
      a.doom('request late');
      expect(await isUnknown(a.nodes.beat(mine.id, 1))).toBe(true);
      b.doom('answer lost');
      expect(await isUnknown(b.nodes.condemn(mine.id, 0))).toBe(true);
      await world.deliver();
      expect(await b.nodes.condemn(mine.id, 0)).toBe(true);
      expect(await a.nodes.beat(mine.id, 1)).toBeNull();
    }),
  );

  it(
    'condemning that comes late spares a life that went on',
    inNodeWorld(open, async (a, b, [mine], world) => {
      b.doom('request late');
      expect(await isUnknown(b.nodes.condemn(mine.id, 0))).toBe(true);
      await a.nodes.beat(mine.id, 1);
      await world.deliver();
      expect(await a.nodes.beat(mine.id, 2)).not.toBeNull();
    }),
  );
}

function serveCases(open: OpenNodeWorld, it: Say): void {
  it(
    'one life serves: another takes its place when it is fenced, and from the one that it saw alone',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      expect(await a.nodes.serve(mine.id, null)).toBe(true);
      expect(await b.nodes.serve(other.id, null)).toBe(false);
      expect(await b.nodes.serve(other.id, mine.id)).toBe(false);
      expect(await b.nodes.condemn(mine.id, 0)).toBe(true);
      expect(await b.nodes.serve(other.id, null)).toBe(false);
      expect(await b.nodes.serve(other.id, mine.id)).toBe(true);
      expect((await b.nodes.beat(other.id, 1))!.serving).toBe(other.id);
      expect(await a.nodes.serve(mine.id, other.id)).toBe(false);
      expect(await a.nodes.serve(randomUUID(), other.id)).toBe(false);
    }),
  );

  it(
    'of lives that want to serve at the same time one does',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      const won = await Promise.all([a.nodes.serve(mine.id, null), b.nodes.serve(other.id, null)]);
      expect(won.filter((one) => one)).toHaveLength(1);
      expect((await a.nodes.beat(mine.id, 1))!.serving).toBe(won[0] ? mine.id : other.id);
    }),
  );

  it(
    'serving is found done when it comes again, and what comes late takes it from no other',
    inNodeWorld(open, async (a, b, [mine, other], world) => {
      a.doom('answer lost');
      expect(await isUnknown(a.nodes.serve(mine.id, null))).toBe(true);
      expect(await a.nodes.serve(mine.id, null)).toBe(true);
      await a.nodes.leave(mine.id);
      const next = lifeOf('c');
      await a.nodes.register(next);
      a.doom('request late');
      expect(await isUnknown(a.nodes.serve(next.id, null))).toBe(true);
      expect(await b.nodes.serve(other.id, null)).toBe(true);
      await world.deliver();
      expect((await b.nodes.beat(other.id, 1))!.serving).toBe(other.id);
    }),
  );

  it(
    'a life that leaves is fenced, and its place is free at once; leaving again changes nothing',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      await a.nodes.serve(mine.id, null);
      a.doom('answer lost');
      expect(await isUnknown(a.nodes.leave(mine.id))).toBe(true);
      await a.nodes.leave(mine.id);
      const sight = await b.nodes.beat(other.id, 1);
      expect(sight!.serving).toBeNull();
      expect(sight!.nodes.find(({ id }) => id === mine.id)).toMatchObject({ isFenced: true });
      expect(await a.nodes.beat(mine.id, 1)).toBeNull();
      expect(await b.nodes.serve(other.id, null)).toBe(true);
      await a.nodes.leave(mine.id);
      await a.nodes.leave(randomUUID());
      expect((await b.nodes.beat(other.id, 2))!.serving).toBe(other.id);
    }),
  );
}

/** What a life is said to carry, in a look of another one. */
async function carriesOf({ nodes }: NodePeer, looker: Incarnation, beat: number, id: string): Promise<string | null> {
  return (await nodes.beat(looker.id, beat))!.nodes.find((node) => node.id === id)!.carries;
}

function carryCases(open: OpenNodeWorld, it: Say): void {
  it(
    'a life carries for the one that serves, and for no other; it says when that is over',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      expect(await b.nodes.carry(other.id, mine.id, 1)).toBe(false);
      expect(await a.nodes.serve(mine.id, null)).toBe(true);
      expect(await b.nodes.carry(other.id, randomUUID(), 2)).toBe(false);
      expect(await b.nodes.carry(randomUUID(), mine.id, 1)).toBe(false);
      expect(await carriesOf(a, mine, 1, other.id)).toBeNull();
      expect(await b.nodes.carry(other.id, mine.id, 3)).toBe(true);
      expect(await carriesOf(a, mine, 2, other.id)).toBe(mine.id);
      expect(await b.nodes.carry(other.id, null, 4)).toBe(true);
      expect(await carriesOf(a, mine, 3, other.id)).toBeNull();
    }),
  );

  it(
    'a life that is fenced carries for none, and what it carried it may let go',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      expect(await a.nodes.serve(mine.id, null)).toBe(true);
      expect(await b.nodes.carry(other.id, mine.id, 1)).toBe(true);
      await b.nodes.leave(other.id);
      expect(await b.nodes.carry(other.id, mine.id, 2)).toBe(false);
      expect(await carriesOf(a, mine, 1, other.id)).toBe(mine.id);
      expect(await b.nodes.carry(other.id, null, 3)).toBe(true);
      expect(await carriesOf(a, mine, 2, other.id)).toBeNull();
    }),
  );

  it(
    'a life that is to serve has seen all that others carry: one that began meanwhile makes it look again',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      expect(await a.nodes.serve(mine.id, null)).toBe(true);
      const next = lifeOf('c');
      await a.nodes.register(next);
      const seen = (await a.nodes.beat(next.id, 1))!;
      expect(await b.nodes.carry(other.id, mine.id, 1)).toBe(true);
      expect(await b.nodes.condemn(mine.id, 0)).toBe(true);
      expect(await a.nodes.serve(next.id, mine.id, seen.carried)).toBe(false);
      const again = (await a.nodes.beat(next.id, 2))!;
      expect(again.nodes.find(({ id }) => id === other.id)).toMatchObject({ carries: mine.id });
      expect(await a.nodes.serve(next.id, mine.id, again.carried)).toBe(true);
      expect(await b.nodes.carry(other.id, mine.id, 2)).toBe(false);
    }),
  );

  it(
    'of one that begins to carry and another that begins to serve at the same time one has to look again',
    inNodeWorld(open, async (a, b, [mine, other]) => {
      expect(await a.nodes.serve(mine.id, null)).toBe(true);
      const next = lifeOf('c');
      await a.nodes.register(next);
      await b.nodes.condemn(mine.id, 0);
      const { carried } = (await a.nodes.beat(next.id, 1))!;
      const [serves, carries] = await Promise.all([
        a.nodes.serve(next.id, mine.id, carried),
        b.nodes.carry(other.id, mine.id, 1),
      ]);
      expect([serves, carries].filter((one) => one)).toHaveLength(1);
    }),
  );

  it(
    'what a life says of its carrying is found done when it comes again, and late it undoes nothing',
    inNodeWorld(open, async (a, b, [mine, other], world) => {
      expect(await a.nodes.serve(mine.id, null)).toBe(true);
      b.doom('answer lost');
      expect(await isUnknown(b.nodes.carry(other.id, mine.id, 1))).toBe(true);
      expect(await b.nodes.carry(other.id, mine.id, 1)).toBe(true);
      b.doom('request late');
      expect(await isUnknown(b.nodes.carry(other.id, null, 2))).toBe(true);
      expect(await b.nodes.carry(other.id, null, 2)).toBe(true);
      expect(await b.nodes.carry(other.id, mine.id, 3)).toBe(true);
      await world.deliver();
      expect(await carriesOf(a, mine, 1, other.id)).toBe(mine.id);
      expect(await b.nodes.carry(other.id, null, 2)).toBe(false);
      b.doom('answer lost');
      expect(await isUnknown(b.nodes.carry(other.id, null, 4))).toBe(true);
      expect(await b.nodes.carry(other.id, null, 4)).toBe(true);
      expect(await carriesOf(a, mine, 2, other.id)).toBeNull();
    }),
  );
}
