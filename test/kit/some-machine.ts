/** A machine that measured something, as records of benches and campaigns describe it: for tests of what is made of them. */
import type { Machine } from '#bench/kit/machine.ts';

export const SOME_MACHINE: Machine = {
  date: '2026-01-02T03:04:05.000Z',
  cpu: 'A processor',
  cores: 2,
  memoryGb: 8,
  kernel: '6.1.0',
  node: 'v22.23.3',
  commit: 'abcdef123456+',
  fileSystem: 'ext4',
};
