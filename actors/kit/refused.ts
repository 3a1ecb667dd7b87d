/** How a refusal that is met several calls deep gets to where the work began (actors/README.md, "Refusing"). */
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';

/**
 * A refusal that is met several calls deep: thrown there, and a value again where the work began. A service throws its Refusal; the
 * engine, which knows no codes, its Failure (actors/engine/rows/failure.ts). No other error carries one.
 */
export class Refused extends Error {
  readonly refusal: { readonly kind: 'refusal' | 'failure'; readonly message: string };

  constructor(refusal: Refused['refusal']) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The refusal that was thrown. One of another code than these is a fault of ours, and any other error is thrown on. */
export function refusalOf<C extends string>(error: unknown, codes: readonly C[]): Refusal<C> {
  if (!(error instanceof Refused) || !isRefusal(error.refusal)) throw error;
  if (isOneOf(error.refusal, codes)) return error.refusal;
  throw new Error(`refused with ${error.refusal.code}, which is not declared here`, { cause: error });
}

function isOneOf<C extends string>(refusal: Refusal, codes: readonly C[]): refusal is Refusal<C> {
  return codes.some((code) => code === refusal.code);
}
