import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hotFunctions, profileText, readProfiles } from '#bench/kit/profile.ts';

const frame = (id: number, functionName: string, url = '') => ({ id, callFrame: { functionName, url, lineNumber: 9 } });
const profile = {
  nodes: [frame(1, '(root)'), frame(2, 'route', 'file:///skep/router.ts'), frame(3, '(idle)'), frame(4, '', '')],
  samples: [2, 3, 2, 4, 2],
  timeDeltas: [1000, 50_000, 2000, 500, 1000],
};

test('self time by function, most first, idle left out', () => {
  expect(hotFunctions(profile)).toEqual([
    { where: 'route router.ts:10', ms: 4 },
    { where: '(anonymous)', ms: 0.5 },
  ]);
});

test('one table per thread, the busiest first', () => {
  const directory = mkdtempSync(join(tmpdir(), 'skep-profile-'));
  try {
    writeFileSync(join(directory, 'a.cpuprofile'), JSON.stringify({ ...profile, samples: [2], timeDeltas: [460] }));
    writeFileSync(join(directory, 'b.cpuprofile'), JSON.stringify(profile));
    writeFileSync(join(directory, 'c.cpuprofile'), JSON.stringify({ ...profile, samples: [2], timeDeltas: [440] }));
    writeFileSync(join(directory, 'notes.txt'), 'none');
    const text = profileText(readProfiles(directory));
    expect(text.indexOf('b.cpuprofile')).toBeLessThan(text.indexOf('a.cpuprofile'));
    expect(text).toContain('b.cpuprofile: busy 4.5 ms');
    expect(text).not.toContain('c.cpuprofile');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
