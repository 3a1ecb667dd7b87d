/** What the address says of the files of a tenant. Pure. */
import { plain, type Search } from '../frame/search.ts';

/** Stands for the files that are in no folder. */
export const NO_FOLDER = 'none';

export interface MediaSearch {
  /** The store; the first one where it is absent. */
  readonly store?: string;
  /** The id of a folder, or NO_FOLDER; all files where it is absent. */
  readonly folder?: string;
  /** The id of the file whose sheet is open. */
  readonly asset?: string;
}

/** The search of an address, whatever a person has written there. */
export function readMediaSearch({ store, folder, asset }: Search): MediaSearch {
  const text = (value: unknown): string => (value === undefined ? '' : plain([value].flat()[0]));
  return {
    ...(text(store) !== '' && { store: text(store) }),
    ...(text(folder) !== '' && { folder: text(folder) }),
    ...(text(asset) !== '' && { asset: text(asset) }),
  };
}

/** Tags as they are typed: parted by commas, each once. */
export const tagsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];
