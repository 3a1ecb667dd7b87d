import { expect, test } from 'vitest';
import { lineText } from '#runtime/observe/log-line.ts';

const line = (more: object) =>
  lineText(JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05.678Z', service: 'data', msg: 'ready', ...more }));

test('a line for people names date, time and zone, service, message and fields', () => {
  expect(line({ rows: 3, path: 'a/b', note: 'two words', list: [1] })).toBe(
    '2026-01-02T03:04:05.678Z data: ready rows=3 path=a/b note="two words" list=[1]\n',
  );
});

test('levels other than info stand out, and a stack follows indented', () => {
  expect(line({ level: 'error', err: { message: 'm', stack: 'Error: m\n    at x' } })).toBe(
    '2026-01-02T03:04:05.678Z ERROR data: ready\n  Error: m\n      at x\n',
  );
});

test('what is no JSON is left as it is', () => {
  expect(lineText('plain\n')).toBe('plain\n');
});
