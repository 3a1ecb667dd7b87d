/** The address of a tenant's upkeep. Pure. */
import { baseOf } from '../session/position.ts';

export const upkeepPath = (key: string): string => `${baseOf(key)}/upkeep`;
