/** A part of a product that cannot be used: an entity, an action, an endpoint, a store. Only that part fails; the rest of the product is served. */
import { DefinitionError } from './rule.ts';

export interface PartFault {
  /** What is not served, for people: `action recent`, `access.read of the entity city`. */
  readonly part: string;
  /** `file:line:column`, or what its compiler knows of the place. */
  readonly where: string;
  readonly reason: string;
}

/** What a compiler threw, as a fault of a part. `where` is the place of the part, for errors that know none. */
export function faultOf(part: string, where: string, error: unknown): PartFault {
  const { message } = error as Error;
  if (!(error instanceof DefinitionError)) return { part, where, reason: message };
  const prefix = `${error.where}: `;
  return { part, where: error.where, reason: message.startsWith(prefix) ? message.slice(prefix.length) : message };
}

/** `file:line:column: what is wrong`, as compilers say it. */
export const faultText = ({ where, reason }: PartFault): string => `${where}: ${reason}`;

/**
 * Makes something of a definition. Where `faults` is given, what goes wrong joins it and the result is null, whatever was thrown:
 * a compiler that fails in a way of its own must not take a tenant along either. Without it the error is thrown.
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
