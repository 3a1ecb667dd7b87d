/** What the scrubber says of faults: once in the log, in degraded[] until a whole look finds none, in gauges by kind. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Findings } from '#runtime/scrub/findings.ts';

const lines: object[] = [];
const degraded = new Map<string, string>();
const gauges = new Map<string, number>();
let findings: Findings;

beforeEach(() => {
  lines.length = 0;
  degraded.clear();
  gauges.clear();
  const none = (): void => undefined;
  findings = new Findings({
    log: { info: none, warn: none, error: (fields) => void lines.push(fields) },
    degraded: {
      report: ({ scope, name, reason }) => void degraded.set(`${scope} ${name}`, reason),
      clear: (scope, name) => void degraded.delete(`${scope} ${name}`),
    },
    gauge: (kind, faults) => void gauges.set(kind, faults),
  });
});

const subject = { scope: 'part', name: 'a:b:c:d stored data', tenant: 'a:b:c:d', mend: 'mend it' } as const;
const fault = (key: string, kind: 'index' | 'row' | 'order' = 'index') => ({
  kind,
  where: { entity: 'x', key },
  what: 'no entry',
});

test('a fault is logged once, named at once, and reported with all kinds at the end of the look', () => {
  for (let round = 0; round < 3; round++) {
    const look = findings.look(subject);
    look.found(fault('01'));
    // Later looks leave it as it is until their end: each change would be a line of the log.
    const kinds = round === 0 ? 'index' : 'row, index';
    expect(degraded.get('part a:b:c:d stored data')).toMatch(
      new RegExp(`\\(${kinds}\\), the first: no entry; .* mend it`),
    );
    look.found(fault('02'));
    look.found(fault('03', 'row'));
    look.end();
    expect(degraded.get('part a:b:c:d stored data')).toContain('(row, index)');
    expect([gauges.get('index'), gauges.get('row')]).toEqual([2, 1]);
  }
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatchObject({ tenant: 'a:b:c:d', kind: 'index', key: '01', entity: 'x', mend: 'mend it' });
});

test('a whole look that finds nothing clears it, one that was given up does not', () => {
  findings.look(subject).found(fault('01'));
  expect(degraded.size).toBe(1);
  const look = findings.look(subject);
  look.found(fault('01'));
  look.end();
  expect(gauges.get('index')).toBe(1);
  findings.look(subject).end();
  expect([degraded.size, gauges.get('index')]).toEqual([0, 0]);
});

test('many faults fill no log, and are counted all the same', () => {
  const look = findings.look(subject);
  for (let i = 0; i < 3 * limits.scrub.faultsLogged; i++) look.found(fault(String(i)));
  look.end();
  expect(lines).toHaveLength(limits.scrub.faultsLogged);
  expect(gauges.get('index')).toBe(3 * limits.scrub.faultsLogged);
});

test('what is gone has no faults any more', () => {
  const look = findings.look(subject);
  look.found(fault('01'));
  look.end();
  expect([findings.faultsOf(subject.name), findings.faultsOf('another')]).toEqual([1, 0]);
  findings.keepOnly((name) => name !== subject.name);
  expect([gauges.get('index'), findings.faultsOf(subject.name)]).toEqual([0, 0]);
  const dropped = findings.look(subject);
  dropped.found(fault('02'));
  dropped.drop();
  expect(degraded.size).toBe(0);
});

test('keys out of order stay named although a border of steps hid them from the next look', () => {
  const look = findings.look(subject);
  look.found(fault('01', 'order'));
  look.found(fault('02', 'row'));
  look.end();
  const before = degraded.get('part a:b:c:d stored data');
  const blind = findings.look(subject);
  blind.found(fault('02', 'row'));
  blind.end();
  expect([degraded.get('part a:b:c:d stored data'), gauges.get('order')]).toEqual([before, 1]);
  findings.look(subject).end();
  expect(degraded.get('part a:b:c:d stored data')).toContain('(order)');
  expect([gauges.get('order'), gauges.get('row')]).toEqual([1, 0]);
});
