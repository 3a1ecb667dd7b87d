/** Whether a development vault may treat a caller without a certificate as its developer. */

const LOCAL = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d{1,5})?$/i;

/** Whether a Host header names this machine's loopback; an absent header does not. */
export function isLocalName(host: string | undefined): boolean {
  return host !== undefined && LOCAL.test(host);
}

/** Whether the Origin of a request is allowed: absent (no browser), or a page of this machine. */
export function isLocalOrigin(origin: string | undefined): boolean {
  if (origin === undefined || origin === '') return true;
  return URL.canParse(origin) && LOCAL.test(new URL(origin).host);
}
