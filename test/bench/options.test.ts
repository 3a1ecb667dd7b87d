import { expect, test } from 'vitest';
import { FLAG_HELP, parseOptions } from '#bench/kit/options.ts';

test('defaults', () => {
  expect(parseOptions([])).toEqual({
    names: [],
    json: undefined,
    seconds: undefined,
    connections: undefined,
    threads: 1,
    pairs: 3,
    data: undefined,
    hosts: undefined,
    rows: 200_000,
    grown: 5_000_000,
    tenants: 10_000,
    times: undefined,
    pin: false,
    profile: false,
    keep: false,
    help: false,
  });
});

test('names and flags in any order', () => {
  const options = parseOptions([
    'read-by-id',
    '--seconds',
    '5',
    'list-20',
    '--profile',
    '--json',
    'a.json',
    '--rows=0',
  ]);
  expect(options).toMatchObject({
    names: ['read-by-id', 'list-20'],
    seconds: 5,
    profile: true,
    json: 'a.json',
    rows: 0,
  });
});

test.each([
  [['--seconds', '0'], '--seconds takes a whole number from 1 on'],
  [['--pairs', 'many'], '--pairs takes a whole number from 1 on'],
  [['--connections', '1.5'], '--connections takes a whole number from 1 on'],
  [['--rows=-1'], '--rows takes a whole number from 0 on'],
])('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('an unknown flag is refused', () => {
  expect(() => parseOptions(['--fast'])).toThrow('--fast');
});

test('every flag that is explained is taken', () => {
  for (const [usage] of FLAG_HELP) {
    const [flag, value] = usage.split(' ');
    expect(() => parseOptions(value === undefined ? [flag!] : [flag!, '7'])).not.toThrow();
  }
});
