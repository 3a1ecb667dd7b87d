/** The operations that `access` rules and grants decide. */
import type { AccessOperation } from './product.ts';

export const OPERATIONS = [
  'create',
  'read',
  'update',
  'delete',
  'purge',
  'restore',
  'unmask',
] as const satisfies readonly AccessOperation[];
