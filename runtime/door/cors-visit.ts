/** A visit whose answers have the CORS lines that a page of an allowed origin needs. */
import { AroundVisit } from './around-visit.ts';
import { corsLines } from './cors.ts';
import type { Visit } from './port.ts';

export class CorsVisit extends AroundVisit {
  readonly #lines: string;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit, origins: readonly string[] | undefined) {
    super(visit);
    this.#lines = corsLines(visit, origins);
  }

  protected lined(headers: string): string {
    return this.#lines === '' ? headers : headers + this.#lines;
  }
}
