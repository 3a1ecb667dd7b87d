/** The judge of histories: against every order of small ones, and on anomalies that it must refuse. */
import { describe, expect, test } from 'vitest';
import { judgeHistory, type Called } from '#test/kit/linearizable.ts';
import { Random } from '#test/kit/random.ts';
import { registerStep, type RegisterCall, type RegisterState } from '#test/kit/row-register.ts';
import { testSeed } from '#test/kit/seed.ts';

type History = readonly Called<RegisterCall>[];

const HISTORIES = 2000;
const CALLS_MAX = 6;

const judge = (history: History): string => judgeHistory<RegisterState, RegisterCall>(history, null, registerStep).is;

/** Tries every order of every set of calls that holds those with an outcome, without a thought. */
function isExplained(history: History): boolean {
  const explained = (left: History, state: RegisterState): boolean => {
    if (left.every(({ answeredAt }) => answeredAt === Infinity)) return true;
    return left.some((first) => {
      const rest = left.filter((other) => other !== first);
      if (rest.some(({ answeredAt }) => answeredAt < first.sentAt)) return false;
      const next = registerStep(state, first.did);
      return next !== null && explained(rest, next.state);
    });
  };
  return explained(history, null);
}

/** A history of a register that keeps its word; some answers are lost, whether or not the call was made. */
function honest(random: Random): Called<RegisterCall>[] {
  let state: RegisterState = null;
  let now = 0;
  return Array.from({ length: 1 + random.below(CALLS_MAX) }, (_, at): Called<RegisterCall> => {
    now += 1 + random.below(4);
    const [sentAt, answeredAt] = [now - random.below(8), now + random.below(8)];
    const made = asked(random, state, at);
    const isLost = made.kind !== 'read' && random.chance(0.2);
    if (!isLost || random.chance(0.5)) state = registerStep(state, made)!.state;
    return isLost
      ? { did: { ...made, outcome: 'unknown' }, sentAt, answeredAt: Infinity }
      : { did: made, sentAt, answeredAt };
  });
}

/** A call with the outcome that it has in this state. */
function asked(random: Random, state: RegisterState, value: number): RegisterCall {
  const kind = random.pick(['read', 'read', 'create', 'update', 'update', 'update', 'remove'] as const);
  if (kind === 'read') return { kind, found: state };
  if (kind === 'create') return { kind, value, outcome: state === null ? 'done' : 'exists' };
  if (kind === 'remove') return { kind, outcome: state === null ? 'missing' : 'done' };
  const ifMatch = random.chance(0.5) ? null : 1 + random.below(3);
  if (state === null) return { kind, value, ifMatch, outcome: 'missing' };
  const isStale = ifMatch !== null && ifMatch !== state.version;
  return { kind, value, ifMatch, outcome: isStale ? 'stale' : { version: state.version + 1 } };
}

/** The history with one outcome or moment changed, which may or may not be explained. */
function bent(random: Random, history: History): Called<RegisterCall>[] {
  const at = random.below(history.length);
  return history.map((call, no) => {
    if (no !== at) return call;
    const { did, sentAt, answeredAt } = call;
    if (did.kind === 'read') {
      const found = random.chance(0.3) ? null : { value: random.below(CALLS_MAX), version: 1 + random.below(3) };
      return { did: { kind: 'read', found }, sentAt, answeredAt };
    }
    if (random.chance(0.5)) return { did, sentAt: sentAt - 20, answeredAt: sentAt - 10 };
    const outcome = did.kind === 'create' ? 'exists' : 'missing';
    return { did: { ...did, outcome } as RegisterCall, sentAt, answeredAt };
  });
}

test(`agrees with every order that is tried, on ${HISTORIES} small histories`, () => {
  const reached = { linearizable: 0, refused: 0, unknown: 0, overlapping: 0, stale: 0, removed: 0 };
  for (let n = 0; n < HISTORIES; n++) {
    const random = new Random(testSeed() + n);
    const kept = honest(random);
    expect(judge(kept), `honest, seed ${testSeed() + n}`).toBe('linearizable');
    const history = bent(random, kept);
    const expected = isExplained(history) ? 'linearizable' : 'refused';
    expect(judge(history), `bent, seed ${testSeed() + n}`).toBe(expected);
    reached[expected]++;
    const outcomes = history.map(({ did }) => (did.kind === 'read' ? 'read' : did.outcome));
    if (outcomes.includes('unknown')) reached.unknown++;
    if (outcomes.includes('stale')) reached.stale++;
    if (history.some(({ did }) => did.kind === 'remove' && did.outcome === 'done')) reached.removed++;
    if (history.some((one) => history.some((other) => one !== other && overlap(one, other)))) reached.overlapping++;
  }
  for (const [what, count] of Object.entries(reached)) expect(count, what).toBeGreaterThan(HISTORIES / 40);
});

function overlap(one: Called<RegisterCall>, other: Called<RegisterCall>): boolean {
  return one.sentAt <= other.answeredAt && other.sentAt <= one.answeredAt;
}

/** One call behind the other, unless a moment is given. */
const inTurn = (...calls: readonly RegisterCall[]): History =>
  calls.map((did, at) => {
    const isUnknown = did.kind !== 'read' && did.outcome === 'unknown';
    return { did, sentAt: at * 10, answeredAt: isUnknown ? Infinity : at * 10 + 5 };
  });

const made = (value: number): RegisterCall => ({ kind: 'create', value, outcome: 'done' });
const set = (value: number, version: number, ifMatch: number | null = null): RegisterCall => ({
  kind: 'update',
  value,
  ifMatch,
  outcome: { version },
});
const seen = (value: number, version: number): RegisterCall => ({ kind: 'read', found: { value, version } });
const lost = (value: number): RegisterCall => ({ kind: 'update', value, ifMatch: null, outcome: 'unknown' });
const NOTHING: RegisterCall = { kind: 'read', found: null };
const REMOVED: RegisterCall = { kind: 'remove', outcome: 'done' };

describe('an anomaly is refused', () => {
  test.each<readonly [string, History]>([
    ['a stale read', inTurn(made(1), set(2, 2), seen(1, 1))],
    ['a lost update', inTurn(made(1), set(2, 2), set(3, 2), seen(3, 2))],
    ['two changes that demanded the same version', inTurn(made(1), set(2, 2, 1), set(3, 2, 1))],
    ['an acknowledged create that is gone', inTurn(made(1), NOTHING)],
    ['an acknowledged change that is gone', inTurn(made(1), set(2, 2), seen(1, 1))],
    ['a removed row that is back', inTurn(made(1), REMOVED, seen(1, 1))],
    ['a write that comes back', inTurn(made(1), set(2, 2), set(3, 3), seen(2, 2))],
    ['a change without an outcome that comes, goes and comes', inTurn(made(1), lost(2), seen(2, 2), seen(1, 1))],
    ['a change without an outcome that is made twice', inTurn(made(1), lost(2), seen(2, 2), set(3, 3), seen(2, 4))],
    ['a create that is made twice', inTurn(made(1), REMOVED, NOTHING, seen(1, 1))],
    ['a value that no call wrote', inTurn(made(1), seen(7, 1))],
    ['a change with a version that is skipped', inTurn(made(1), set(2, 3))],
    [
      'a refusal as stale of the version that stands',
      inTurn(made(1), { ...set(2, 2, 1), outcome: 'stale' } as RegisterCall),
    ],
    ['a change seen before it was sent', inTurn(made(1), seen(2, 2), set(2, 2))],
  ])('%s', (_name, history) => {
    expect([judge(history), isExplained(history)]).toEqual(['refused', false]);
  });
});

describe('what looks odd and is none is taken', () => {
  test.each<readonly [string, History]>([
    ['a change without an outcome that shows late', inTurn(made(1), lost(2), seen(1, 1), seen(2, 2))],
    ['one that never shows', inTurn(made(1), lost(2), seen(1, 1), set(3, 2))],
    ['a row that begins anew', inTurn(made(1), set(2, 2), REMOVED, made(3), set(4, 2, 1))],
  ])('%s', (_name, history) => {
    expect([judge(history), isExplained(history)]).toEqual(['linearizable', true]);
  });
});

test('a search that takes too long is no verdict', () => {
  const unknown = Array.from({ length: 12 }, (_, value) => lost(value));
  const history = inTurn(made(0), ...unknown, seen(99, 3));
  expect(judgeHistory<RegisterState, RegisterCall>(history, null, registerStep, 1000)).toEqual({
    is: 'undecided',
    furthest: 1,
  });
});
