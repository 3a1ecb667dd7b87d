/** Addresses of acting for a person. Pure. */
import { baseOf } from '../session/position.ts';

export const actPath = (plane: string): string => `${baseOf(plane)}/act-as`;
