/** Named formats of string fields. Each is linear in the length of its input. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isUlid, isUuid } from './id.ts';
import { calendarDate, instant } from './instant.ts';

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/;
const PHONE = /^\+[1-9]\d{6,14}$/;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** RFC 1123 §2.1: labels of letters, digits and inner hyphens, 253 characters in all. */
function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label));
}

/** An addr-spec of RFC 5321 with a dot-atom local part and a host name of two labels or more. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at < 1 || !LOCAL_PART.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..'))
    return false;
  const domain = text.slice(at + 1);
  return domain.includes('.') && isHostname(domain);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/\s/.test(text) && URL.canParse(text);
}

export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['email', isEmail],
  ['url', isWebAddress],
  ['uri', (text) => !/\s/.test(text) && URL.canParse(text)],
  ['hostname', isHostname],
  ['ip', (text) => isIP(text) !== 0],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['uuid', isUuid],
  ['ulid', isUlid],
  ['date', (text) => calendarDate(text) !== undefined],
  ['datetime', (text) => instant(text) !== undefined],
  ['time', (text) => TIME.test(text)],
  ['phone', (text) => PHONE.test(text)],
  ['slug', (text) => SLUG.test(text)],
]);

/** Names that `format:` of an entity's field may hold; there is a first one. */
export const FORMAT_NAMES = [...FORMATS.keys()] as [string, ...string[]];
