/** Addresses of the scratchpad at its tenant. Pure. */
import { baseOf } from '../session/position.ts';

export const scratchPath = (key: string): string => `${baseOf(key)}/scratchpad`;
export const expressionPath = (key: string): string => `${scratchPath(key)}/expression`;
export const restPath = (key: string): string => `${scratchPath(key)}/rest`;
