import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { filtersOf, matcherOf } from '#actors/audit/filters.ts';

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

test('a glob finds what a regular expression of the same meaning finds', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '*'), maxLength: 8 });
  fc.assert(
    fc.property(letters, letters, (glob, text) => {
      const same = new RegExp(`^${glob.split('*').map(escaped).join('.*')}$`, 's');
      expect(matcherOf(glob)(text), `${glob} on ${text}`).toBe(same.test(text));
    }),
    { numRuns: 2000 },
  );
});

test('every filter counts, and all of them together', () => {
  const record = { actor: 'ada', action: 'data.city.create', target: 'c/1', outcome: 'ok', source: 'host' };
  const fits = (query: string, of: object = record): boolean => {
    const filters = filtersOf(new URLSearchParams(query));
    if (typeof filters === 'string') throw new Error(filters);
    return filters.fits({ ...of, id: '', ts: '2026-01-01T00:00:00Z' });
  };
  for (const [name, value] of Object.entries(record)) {
    expect(fits(`${name}=${value}`), name).toBe(true);
    expect(fits(`${name}=${value.slice(0, -1)}*`), name).toBe(true);
    expect(fits(`${name}=other`), name).toBe(false);
  }
  expect(fits('action=data.*.create&source=host')).toBe(true);
  expect(fits('action=data.*.create&source=caller:*')).toBe(false);
});
