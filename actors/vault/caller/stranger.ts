/** Whether a development vault may take a caller without a certificate for its developer. */

const LOCAL = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d{1,5})?$/i;

/** Whether a Host header names this machine's loopback; absent it names nothing. */
export function isLocalName(host: string | undefined): boolean {
  return host !== undefined && LOCAL.test(host);
}

/** Whether a request may come from where it says: no browser, or a page of this machine. */
export function isLocalOrigin(origin: string | undefined): boolean {
  if (origin === undefined || origin === '') return true;
  return URL.canParse(origin) && LOCAL.test(new URL(origin).host);
}
