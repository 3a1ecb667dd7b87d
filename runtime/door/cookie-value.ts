/** The value of a cookie that holds a token. */
import type { Visit } from './port.ts';

/** What a token of ours consists of; any other value is none. */
const TOKEN = /^[A-Za-z0-9._-]+$/;

/** '' where there is none, and where the name is there twice or the header is: a proxy and this door could each take another one. */
export function cookieValue(visit: Pick<Visit, 'header' | 'headers'>, name: string): string {
  const header = visit.header('cookie');
  if (!header.includes(name) || visit.headers('cookie') !== header) return '';
  const values = header.split(';').flatMap((pair) => valueOf(pair.trim(), name));
  return values.length === 1 && TOKEN.test(values[0]!) ? values[0]! : '';
}

function valueOf(pair: string, name: string): string[] {
  return pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : [];
}
