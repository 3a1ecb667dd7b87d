/** The address of triggers at their tenant. Pure. */
import { baseOf } from '../session/position.ts';

export const triggersPath = (key: string): string => `${baseOf(key)}/triggers`;
