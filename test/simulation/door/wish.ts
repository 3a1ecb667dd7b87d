/** What a caller sends, and how it behaves: everything follows from the seed. */
import type { Random } from '#test/kit/random.ts';
import type { Reading } from './response.ts';
import { BODY_BYTES_MAX, textOf, type Kind } from './service.ts';
import type { DoorSettings } from './settings.ts';
import type { Where } from './tenants.ts';

export interface Wish {
  readonly no: number;
  /** Null where there is no such route, or not with this verb. */
  readonly kind: Kind | null;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: string;
  readonly at: Where;
  /** The number of the order that it writes, reads with or asks for. */
  readonly order: number;
  /** '' for none. */
  readonly key: string;
  readonly isChunked: boolean;
  readonly body: Buffer;
  /** Reads of the connection in which the body comes, at most, and the time between them. */
  readonly chunks: number;
  readonly chunkMs: number;
  /** It sends no more after so many reads; null for one that sends all. */
  readonly stallsAfter: number | null;
  /** It goes after so long; null for one that waits. */
  readonly leavesAfterMs: number | null;
  readonly reading: Reading | null;
  readonly address: string;
  /** Bytes of the answer that it asks for. */
  readonly answerBytes: number;
}

interface Earlier {
  readonly wish: Wish;
}

/** A caller that does not read goes at last: a small answer lies in the kernel until then. */
const LEAVES_MS = 150_000;
/** So long a host stands still that no turn would end it. */
const HOLDS_MS = 600_000;
const KINDS = [
  'put',
  'put',
  'put',
  'put',
  'later',
  'later',
  'list',
  'list',
  'up',
  'up',
  'down',
  'down',
  'large',
] as const;

export function wishOf(
  settings: DoorSettings,
  random: Random,
  no: number,
  where: Where,
  earlier: readonly Earlier[],
): Wish {
  const keyed = earlier.filter(({ wish }) => wish.key !== '');
  if (keyed.length > 0 && random.chance(0.25)) return again(random, no, random.pick(keyed.slice(-5)).wish);
  const behaviour = behaviourOf(random);
  if (random.chance(0.04)) return { ...nowhere(random, no, where), ...behaviour };
  const holds = settings.stands && random.chance(0.15);
  const kind: Kind = holds ? 'hold' : random.pick(KINDS);
  const method = ['list', 'down', 'large'].includes(kind) ? 'GET' : 'POST';
  const isKeyed = (kind === 'put' || kind === 'later') && random.chance(0.6);
  const answerBytes = kind === 'down' ? random.below(400_000) : 1 + random.below(random.pick([300, 20_000, 500_000]));
  const ms = holds
    ? random.pick([200 + random.below(2 * settings.replaceAfterMs), HOLDS_MS])
    : random.below(random.pick([3, 40, 900]));
  return {
    ...behaviour,
    no,
    kind,
    method,
    path: `/orders/n${no}${kind === 'put' || kind === 'list' ? '' : `/${kind}`}`,
    query: kind === 'put' ? '' : `no=${no}&ms=${ms}&bytes=${answerBytes}`,
    at: where,
    order: no,
    key: isKeyed ? `k${no}` : '',
    body: bodyOf(random, kind, no),
    answerBytes,
  };
}

/** Under the key of another, as it was, or with another body. */
function again(random: Random, no: number, first: Wish): Wish {
  const isOther = random.chance(0.1);
  const body = isOther ? Buffer.from(JSON.stringify({ no: first.order, other: no })) : first.body;
  return { ...first, ...behaviourOf(random), no, body, answerBytes: isOther ? -1 : first.answerBytes };
}

type Behaviour = Pick<
  Wish,
  'isChunked' | 'chunks' | 'chunkMs' | 'stallsAfter' | 'leavesAfterMs' | 'reading' | 'address'
>;

function behaviourOf(random: Random): Behaviour {
  const pace = random.pick([
    { bytes: 1_000_000, everyMs: 1 },
    { bytes: 100_000, everyMs: 20 },
    { bytes: 20_000, everyMs: 700 },
  ]);
  const reads = random.chance(0.97);
  return {
    isChunked: random.chance(0.15),
    chunks: random.pick([1, 1, 2, 5, 30]),
    chunkMs: random.pick([0, 0, 5, 300]),
    stallsAfter: random.chance(0.05) ? random.below(3) : null,
    leavesAfterMs: random.chance(0.2) ? random.next() * random.pick([0, 0.5, 10, 500, 8000]) : reads ? null : LEAVES_MS,
    reading: reads ? pace : null,
    address: `10.0.0.${random.below(2)}`,
  };
}

function nowhere(random: Random, no: number, at: Where): Omit<Wish, keyof Behaviour> {
  const isVerb = random.chance(0.5);
  const path = isVerb ? `/orders/n${no}/down` : '/nowhere';
  return {
    no,
    kind: null,
    method: 'POST',
    path,
    query: '',
    at,
    order: no,
    key: '',
    body: Buffer.alloc(0),
    answerBytes: 0,
  };
}

function bodyOf(random: Random, kind: Kind, no: number): Buffer {
  if (kind === 'up') return Buffer.from(textOf(no, random.below(random.pick([10, 5000, 300_000]))));
  if (kind !== 'put' && kind !== 'later') return Buffer.alloc(0);
  const filling = 'x'.repeat(random.below(random.pick([10, 3000, BODY_BYTES_MAX + 2000])));
  return Buffer.from(JSON.stringify({ no, filling }));
}
