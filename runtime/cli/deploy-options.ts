/** The options of `skep deploy`. */
import { InvalidArgumentError } from 'commander';
import { isSegment } from '#actors/protocol/position.ts';

export interface ProductKey {
  readonly customer: string;
  readonly product: string;
  readonly env: string;
}

export interface DeployOptions {
  readonly to: string;
  readonly product: ProductKey;
  readonly keyFile?: string;
  readonly tenant?: readonly string[];
  readonly allow?: readonly string[];
  readonly yes?: true;
  readonly rollback?: true;
}

/** `customer:product:env` of a command line. */
export function productKey(text: string): ProductKey {
  const [customer = '', product = '', env = '', more] = text.split(':');
  if (more === undefined && [customer, product, env].every(isSegment)) return { customer, product, env };
  throw new InvalidArgumentError('write customer:product:env, for example acme:desk:prod');
}
