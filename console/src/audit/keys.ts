/** Keys that a person has pasted, by log, as long as the page is open; and how a key is read out. */
import { sha256, toHex } from './bytes.ts';
import { readKey } from './note.ts';

const pasted = new Map<string, string>();

export const pastedKey = (log: string): string => pasted.get(log) ?? '';
export const keepKey = (log: string, text: string): void => void pasted.set(log, text);

/** SHA-256 of the raw key, in groups that two people can compare; null where the text is no key. */
export async function fingerprintOf(text: string): Promise<string | null> {
  const key = await readKey(text);
  if (key === null) return null;
  return toHex(await sha256(key.bytes))
    .match(/.{4}/g)!
    .join(' ');
}
