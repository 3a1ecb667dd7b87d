/** The options of every verb that calls a vault. */
import type { OutputFormat } from './output.ts';

export interface VaultOptions {
  readonly url?: string;
  readonly ca?: string;
  readonly agent?: string;
  readonly operatorCert?: string;
  readonly operatorKey?: string;
  readonly tenant?: string;
  readonly output: OutputFormat;
}
