import { expect, test } from 'vitest';
import { CallerHash } from '#actors/rates/caller-hash.ts';

function hashes(seed: readonly [number, number], count: number): { set: number; tag: number }[] {
  const hash = new CallerHash(...seed);
  return Array.from({ length: count }, (_, i) => {
    hash.of(i % 7, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    return { set: hash.set, tag: hash.tag };
  });
}

test('neighbouring addresses spread over the sets like chance would', () => {
  const counts = new Array<number>(4096).fill(0);
  for (const { set } of hashes([1, 2], 65_536)) counts[set & 4095]!++;
  // Mean 16, standard deviation 4: chi-square of 4,095 degrees of freedom stays within five standard deviations.
  const chiSquare = counts.reduce((sum, count) => sum + (count - 16) ** 2 / 16, 0);
  expect(Math.abs(chiSquare - 4095)).toBeLessThan(5 * Math.sqrt(2 * 4095));
  expect(new Set(hashes([1, 2], 65_536).map(({ set, tag }) => `${set} ${tag}`)).size).toBe(65_536);
});

test('another seed gives another set and tag', () => {
  const one = hashes([1, 2], 1000);
  const other = hashes([1, 3], 1000);
  expect(one.filter((hash, i) => hash.tag === other[i]!.tag || hash.set === other[i]!.set)).toEqual([]);
});

test('tenant, every character and the length count', () => {
  const hash = new CallerHash(5, 6);
  const seen = new Set<number>();
  const inputs: [number, string][] = [
    [1, ''],
    [2, ''],
    [1, '\0'],
    [1, '\0\0\0\0'],
    [1, 'a'],
    [1, 'ab'],
    [1, 'abcd'],
    [1, 'abcda'],
    [1, 'bbcda'],
  ];
  for (const [tenant, ip] of inputs) {
    hash.of(tenant, ip);
    seen.add(hash.tag);
  }
  expect(seen.size).toBe(inputs.length);
});
