/** The address of a tenant's files. Pure. */
import { baseOf } from '../session/position.ts';

export const mediaPath = (key: string): string => `${baseOf(key)}/media`;
