import { expect, test } from 'vitest';
import { OUTPUT_MARK } from '#bench/kit/load-script.ts';
import { parseWrkOutput, unexpected } from '#bench/kit/wrk-output.ts';

const ZERO = { connect: 0, read: 0, write: 0, timeout: 0, status: 0 };
const output = (errors: object = {}): string => `Running 10s test @ http://127.0.0.1:1/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
${OUTPUT_MARK}${JSON.stringify({
  requests: 270_000,
  micros: 10_000_000,
  bytes: 5_400_000,
  errors: { ...ZERO, ...errors },
  latency: { p50: 1600, p90: 2500, p99: 4100, p999: 9000, max: 20_000 },
})}
Requests/sec:  27000.00
`;

test('rate and latencies', () => {
  expect(parseWrkOutput(output())).toEqual({
    requests: 270_000,
    seconds: 10,
    perSecond: 27_000,
    bytes: 5_400_000,
    p50Ms: 1.6,
    p90Ms: 2.5,
    p99Ms: 4.1,
    p999Ms: 9,
    maxMs: 20,
    socketErrors: 0,
    statusErrors: 0,
  });
});

test('every kind of socket error counts', () => {
  const result = parseWrkOutput(output({ connect: 1, read: 2, write: 4, timeout: 8 }));
  expect(result.socketErrors).toBe(15);
  expect(unexpected(result, 200)).toBe(15);
});

test('refusals are errors, unless a refusal is what is measured', () => {
  const refused = parseWrkOutput(output({ status: 269_990 }));
  expect(unexpected(refused, 200)).toBe(269_990);
  expect(unexpected(refused, 404)).toBe(10);
});

test('a run without its line is a failure that shows what was said', () => {
  expect(() => parseWrkOutput('unable to connect to 127.0.0.1:1 Connection refused\n')).toThrow('Connection refused');
  expect(() => parseWrkOutput('')).toThrow('nothing');
});
