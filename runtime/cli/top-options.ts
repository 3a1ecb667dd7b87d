/** Options of `skep top`. */
import type { OutputFormat } from './output.ts';

export interface TopOptions {
  readonly file?: string;
  readonly url?: string;
  readonly every: string;
  readonly once?: boolean;
  readonly tenants: string;
  readonly output: OutputFormat;
}
