/** Addresses of the schema. Pure. */
import { baseOf } from '../session/position.ts';

export const schemaPath = (key: string): string => `${baseOf(key)}/schema`;
