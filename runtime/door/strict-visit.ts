/** A visit over TLS whose answers tell browsers to come by TLS alone from now on (RFC 6797). */
import { durationMs } from '#config/values/duration.ts';
import type { Platform } from '#config/platform.ts';
import { AroundVisit } from './around-visit.ts';
import type { Visit, VisitHandler } from './port.ts';

class StrictVisit extends AroundVisit {
  readonly #line: string;

  constructor(visit: Visit, line: string) {
    super(visit);
    this.#line = line;
  }

  protected lined(headers: string): string {
    return headers + this.#line;
  }
}

/** The handler with that line in each of its answers, where the platform file asks for it. Costs an object a request; nothing without the key. */
export function strictly(handler: VisitHandler, tls: Platform['gateway']['tls']): VisitHandler {
  if (tls?.hsts === undefined) return handler;
  const { max_age, subdomains, preload } = tls.hsts;
  const more = `${subdomains ? '; includeSubDomains' : ''}${preload ? '; preload' : ''}`;
  const line = `Strict-Transport-Security: max-age=${Math.floor(durationMs(max_age) / 1000)}${more}\n`;
  return (visit) => handler(new StrictVisit(visit, line));
}
