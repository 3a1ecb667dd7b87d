/** Doors are told where the host of a tenant runs, and told otherwise; what they know is what they were told last. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { Desk } from '#runtime/door/desk.ts';
import { LinkFault } from '#runtime/link/frames.ts';
import { COUNTED, RECALLED, REFERRED } from '#runtime/link/referral-frames.ts';
import { Referrals, type ReferredDoor } from '#runtime/link/referrals.ts';
import { Referred } from '#runtime/link/referred.ts';
import type { CarriedAt } from '#runtime/supervisor/tenant-hosts.ts';

const tenant = (name: string, shard = 1): TenantEntry => ({
  no: 10 + name.length,
  position: parsePosition(`a:b:c:${name}`)!,
  shard,
  state: 'active',
  localdir: './shop',
});
const ONE = tenant('one');
const AT: CarriedAt = { id: 'life of n2', node: 'n2', link: '127.0.0.1:7400', place: 1, start: 5 };

/** The doors of a node, and what it knows by the frames that it got. */
class Door {
  readonly known: Referred;
  readonly desk = new Desk('carried-1');
  readonly links: { to: string; isUp: boolean; isFull: boolean; isStopped: boolean; desk: Desk }[] = [];
  readonly frames: Flat[] = [];
  readonly told: ReferredDoor;
  starts: number[] = [5];

  constructor(life: string, referrals: Referrals) {
    this.known = new Referred({
      life,
      hosted: (place, start) => (place === 1 && this.starts.includes(start) ? this.desk : null),
      link: (to) => {
        const link = { to: to.node, isUp: true, isFull: false, isStopped: false, desk: new Desk('link') };
        this.links.push(link);
        return {
          ...link,
          stop: () => void (link.isStopped = true),
          get isUp() {
            return link.isUp;
          },
        };
      },
    });
    const send = (frame: Flat): void => {
      this.frames.push(frame);
      this.known.take(frame);
    };
    this.told = referrals.open({ send }, life);
  }

  deskOf(key: string, isSent = false): Desk | null {
    const entry = this.known.get(key);
    return entry === undefined ? null : this.known.deskOf(entry, isSent);
  }
}

let at: CarriedAt | null;
let counts: [number, number][];
let referrals: Referrals;
let carrier: Door;
let third: Door;

beforeEach(() => {
  at = AT;
  counts = [];
  referrals = new Referrals({ where: () => at, counted: (no, count) => void counts.push([no, count]) });
  carrier = new Door('life of n2', referrals);
  third = new Door('life of n3', referrals);
});

test('the first request tells the door that sent it, behind the node that has the host, and a further one tells nothing', () => {
  third.told.offer(ONE);
  third.told.offer(ONE);
  expect(carrier.frames).toEqual([[REFERRED, 'a:b:c:one', 13, 1, 1, 5, 'life of n2', 'n2', '127.0.0.1:7400']]);
  expect(third.frames).toEqual(carrier.frames);
  expect(carrier.deskOf('a:b:c:one')).toBe(carrier.desk);
  expect(third.links.map(({ to }) => to)).toEqual(['n2']);
  expect(third.deskOf('a:b:c:one')?.name).toBe('link');
  expect(third.known.get('a:b:c:one')).toMatchObject({ no: 13, shard: 1 });
  expect(referrals.count).toBe(2);
});

test('nothing is told of a tenant whose host runs here, of no tenant, and where the doors of the carrier have no link', () => {
  at = null;
  third.told.offer(ONE);
  third.told.offer(undefined);
  at = AT;
  carrier.told.lost();
  third.told.offer(ONE);
  expect(third.frames).toEqual([]);
});

test('a request that another node has sent goes to a host here and to no third node', () => {
  third.told.offer(ONE);
  expect(carrier.deskOf('a:b:c:one', true)).toBe(carrier.desk);
  expect([third.deskOf('a:b:c:one')?.name, third.deskOf('a:b:c:one', true)]).toEqual(['link', null]);
});

test('another start of the place, a full link and one that is lost send requests by the node that serves', () => {
  third.told.offer(ONE);
  carrier.starts = [6];
  expect(carrier.deskOf('a:b:c:one')).toBe(null);
  third.links[0]!.isUp = false;
  expect(third.deskOf('a:b:c:one')).toBe(null);
});

test('a tenant is recalled at each door that knows it, and a link that none needs is ended', () => {
  third.told.offer(ONE);
  third.told.offer(tenant('second'));
  referrals.recall('a:b:c:one');
  expect([carrier.frames.at(-1), third.frames.at(-1)]).toEqual([
    [RECALLED, 'a:b:c:one'],
    [RECALLED, 'a:b:c:one'],
  ]);
  expect([third.known.count, third.links[0]!.isStopped]).toEqual([1, false]);
  referrals.recall('a:b:c:one');
  expect(third.frames).toHaveLength(3);
  referrals.recallAll();
  expect([third.known.count, third.links[0]!.isStopped, carrier.known.count]).toEqual([0, true, 0]);
  third.told.offer(ONE);
  expect(third.deskOf('a:b:c:one')?.name).toBe('link');
});

test('a link that is not needed any more ends behind the answers that it still owes, and one that both referrals of a tenant need stays', async () => {
  third.told.offer(ONE);
  const [link] = third.links;
  link!.desk.inFlight = 1;
  third.known.take([REFERRED, 'a:b:c:one', 13, 1, 1, 6, 'life of n2', 'n2', '127.0.0.1:7400']);
  expect([third.links.length, link!.isStopped]).toEqual([1, false]);
  referrals.recallAll();
  expect([third.deskOf('a:b:c:one'), link!.isStopped]).toEqual([null, false]);
  link!.desk.inFlight = 0;
  await expect.poll(() => link!.isStopped).toBe(true);
});

test('when a place is lost its tenants are recalled and no others, and their next place is told', () => {
  third.told.offer(ONE);
  at = { ...AT, place: 2, start: 8 };
  third.told.offer(tenant('second', 2));
  referrals.recallPlace(1);
  expect([third.known.get('a:b:c:one'), third.known.get('a:b:c:second')?.no]).toEqual([undefined, 16]);
  at = { ...AT, id: 'life of n3', node: 'n3', start: 9 };
  third.starts = [9];
  third.told.offer(ONE);
  expect(third.deskOf('a:b:c:one')).toBe(third.desk);
});

test('what a door counts arrives once, in frames of a bounded length', () => {
  for (let no = 1; no <= 2500; no++) third.known.counts(no);
  third.known.counts(7);
  const frames = third.known.takeCounts();
  expect(frames).toHaveLength(3);
  for (const frame of frames) third.told.takeCounts(frame);
  expect(counts).toHaveLength(2500);
  expect(counts.find(([no]) => no === 7)).toEqual([7, 2]);
  expect([third.known.takeCounts(), third.known.sent]).toEqual([[], 2501]);
});

test('a door knows no more tenants than the bound', () => {
  const { referralsMax } = limits.cluster.link;
  for (let no = 0; no < referralsMax + 5; no++)
    carrier.told.offer({ ...ONE, no: no + 1, position: parsePosition(`a:b:c:t${no}`)! });
  expect([carrier.known.count, referrals.count]).toEqual([referralsMax, referralsMax]);
  expect(carrier.known.get(`a:b:c:t${referralsMax + 1}`)).toBe(undefined);
});

test.each<[string, Flat]>([
  ['no position', [REFERRED, 'a', 1, 1, 1, 1, 'l', 'n', 'x']],
  ['no number', [REFERRED, 'a:b:c:d', 'x', 1, 1, 1, 'l', 'n', 'x']],
  ['the number of no tenant', [REFERRED, 'a:b:c:d', 0, 1, 1, 1, 'l', 'n', 'x']],
  ['a frame that is cut', [REFERRED, 'a:b:c:d', 1, 1]],
  ['a recall of a number', [RECALLED, 7]],
])('a referral of %s ends the link', (_what, frame) => {
  expect(() => third.known.take(frame)).toThrow(LinkFault);
});

test.each<[string, Flat]>([
  ['a tenant without a count', [COUNTED, 1]],
  ['a count of none', [COUNTED, 1, 0]],
  ['a text', [COUNTED, 'x', 1]],
])('%s in the counts of a door ends the link', (_what, frame) => {
  expect(() => third.told.takeCounts(frame)).toThrow(LinkFault);
  expect(counts).toEqual([]);
});
