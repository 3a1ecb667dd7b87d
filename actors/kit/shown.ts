/** Text of a caller as messages and details repeat it: cut, since an answer must not grow with the request. */
import { limits } from '#config/limits.ts';

/** A text as it is, anything else as JSON; at most `data.shownCharsMax` characters, whole ones. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const most = limits.data.shownCharsMax;
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
