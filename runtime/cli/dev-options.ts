/** The options of `skep dev`. */
import type { FlagValues } from './set-flag.ts';

export interface DevOptions {
  readonly file: string;
  readonly email: string;
  readonly level: string;
  readonly set?: FlagValues;
}
