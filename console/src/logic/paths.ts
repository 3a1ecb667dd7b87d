/** Addresses of what a product declares to be called, at a tenant. Pure. */
import { baseOf } from '../session/position.ts';

export const logicPath = (key: string): string => `${baseOf(key)}/logic`;
export const callPath = (key: string): string => `${logicPath(key)}/call`;
