/** What a masked field shows to principals that may not see it (docs/contract/data-definitions.md §1.3: `mask`). */
import type { MaskName } from '#config/definitions/mask.ts';

export type Mask = (value: unknown) => unknown;

const HIDDEN = '***';

const email = (text: string): string => {
  const at = text.lastIndexOf('@');
  return at < 1 ? HIDDEN : `${first(text)}${HIDDEN}${text.slice(at)}`;
};

/** The last four characters, if at least as many stay hidden. */
const last4 = (text: string): string => (text.length < 8 ? HIDDEN : HIDDEN + text.slice(-4));

function first(text: string): string {
  return String.fromCodePoint(text.codePointAt(0)!);
}

const TEXT_MASKS: Readonly<Record<MaskName, (text: string) => unknown>> = {
  redact: () => HIDDEN,
  null: () => null,
  initial: (text) => (text === '' ? '' : first(text) + HIDDEN),
  last4,
  email,
  phone: last4,
};

/** The mask of that name. Null stays null; a value that is not text becomes null, since no part of it can be shown. */
export function maskOf(name: MaskName): Mask {
  const mask = TEXT_MASKS[name];
  return (value) => (typeof value === 'string' ? mask(value) : null);
}
