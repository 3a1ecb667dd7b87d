/** The address of API keys at their tenant. Pure. */
import { baseOf } from '../session/position.ts';

export const keysPath = (key: string): string => `${baseOf(key)}/keys`;
