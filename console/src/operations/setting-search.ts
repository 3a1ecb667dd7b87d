/** Which settings are shown. Pure. */
import { plain, type Search } from '../frame/search.ts';
import type { Setting } from '../node/settings.ts';

export interface SettingSearch {
  /** A part of the key. */
  readonly q?: string;
  /** Those alone that have another source than the default. */
  readonly set?: true;
}

export function readSettingSearch({ q, set }: Search): SettingSearch {
  const text = q === undefined ? '' : plain([q].flat()[0]);
  return { ...(text !== '' && { q: text }), ...(String([set].flat()[0]) === 'true' && { set: true }) };
}

export const found = (all: readonly Setting[], { q = '', set }: SettingSearch): readonly Setting[] =>
  all.filter(
    ({ key, source }) => key.toLowerCase().includes(q.trim().toLowerCase()) && (set !== true || source !== 'default'),
  );

export const told = (value: unknown): string =>
  Array.isArray(value) ? value.map(told).join(', ') || '[]' : value === null ? '–' : plain(value);
