/** A part of a product that cannot be used: an entity, an action, an endpoint, a store. Only that part fails; the rest of the product is served. */
import { DefinitionError } from './rule.ts';

export interface PartFault {
  /** The part that is not served, as text: `action recent`, `access.read of the entity city`. */
  readonly part: string;
  /** `file:line:column`, or as much of that as the compiler knows. */
  readonly where: string;
  readonly reason: string;
}

/** An error of a compiler as the fault of a part. `where` is the part's place, for errors without one. */
export function faultOf(part: string, where: string, error: unknown): PartFault {
  const { message } = error as Error;
  if (!(error instanceof DefinitionError)) return { part, where, reason: message };
  const prefix = `${error.where}: `;
  return { part, where: error.where, reason: message.startsWith(prefix) ? message.slice(prefix.length) : message };
}

/** `file:line:column: what is wrong`, as compilers say it. */
export const faultText = ({ where, reason }: PartFault): string => `${where}: ${reason}`;

/**
 * Compiles a definition by `make`. With `faults`, any error joins them and the result is null: an unexpected failure of a compiler must not
 * stop the whole tenant either. Without `faults` the error is thrown.
 */
export function attempt<T>(part: string, where: string, faults: PartFault[] | null, make: () => T): T | null {
  if (faults === null) return make();
  try {
    return make();
  } catch (error) {
    faults.push(faultOf(part, where, error));
    return null;
  }
}
