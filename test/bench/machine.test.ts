import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { describeMachine, residentBytes, residentBytesOf, processorSeconds } from '#bench/kit/machine.ts';
import { measureFsync } from '#bench/kit/fsync-rate.ts';

test('processor time is counted behind a name that holds spaces and brackets', () => {
  const fields = ['S', ...Array.from({ length: 10 }, () => '0'), '250', '50', '0', '0'];
  expect(processorSeconds(`42 (a) b) ${fields.join(' ')}`)).toBe(3);
});

test('resident memory from the status of a process', () => {
  expect(residentBytes('Name:\tnode\nVmPeak:\t  999 kB\nVmRSS:\t  391168 kB\nThreads:\t11\n')).toBe(391_168 * 1024);
  expect(() => residentBytes('Name:\tnode\n')).toThrow('VmRSS');
  expect(residentBytesOf(process.pid)).toBeGreaterThan(10 * 1024 * 1024);
});

test('the machine is described as it is', () => {
  const machine = describeMachine(tmpdir(), new Date(0));
  expect(machine.date).toBe('1970-01-01T00:00:00.000Z');
  expect(machine.node).toBe(process.version);
  expect(machine.cores).toBeGreaterThan(0);
  expect(machine.fileSystem).not.toBe('');
});

test('the disk is measured and the probe removed', () => {
  const rate = measureFsync(tmpdir(), 20);
  expect(rate.perSecond).toBeGreaterThan(0);
  expect(rate.p99Ms).toBeGreaterThanOrEqual(rate.p50Ms);
});
