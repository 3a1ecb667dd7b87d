/**
 * Which addresses a request may reach. A name's addresses are checked in the lookup of the connection itself, so that what is
 * checked is what is connected to: a name that resolves differently a moment later gains nothing.
 */
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress, PrivateHosts, targetOf } from '#config/private-hosts.ts';
import { OutboundFault } from './fault.ts';

/** How names are resolved; the system's resolver when absent. */
export type Resolve = typeof resolve;

export class AddressGuard {
  readonly #private: PrivateHosts;
  readonly #resolve: Resolve;

  /** `allowPrivate` is `outbound.allow_private` of the platform file. */
  constructor(allowPrivate: readonly string[], resolver: Resolve = resolve) {
    this.#private = new PrivateHosts(allowPrivate);
    this.#resolve = resolver;
  }

  /** Throws OutboundFault when the URL holds an address, in any spelling that URLs know, that may not be reached. */
  check(url: URL): void {
    const { hostname, port } = targetOf(url);
    if (isIP(hostname) !== 0) this.#check(url, hostname, port, hostname);
  }

  /** For the connection to this URL's host: fails when one of its addresses may not be reached. */
  lookup(url: URL): LookupFunction {
    const { hostname, port } = targetOf(url);
    return (name, options, done) => {
      this.#resolve(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
        try {
          if (error !== null) throw error;
          for (const { address } of found) this.#check(url, hostname, port, address);
        } catch (refused) {
          done(refused as Error, []);
          return;
        }
        if (options.all === true) done(null, found);
        else done(null, found[0]!.address, found[0]!.family);
      });
    };
  }

  /** Plain HTTP and private addresses are allowed only to hosts that the platform file names. */
  #check(url: URL, hostname: string, port: number, address: string): void {
    const guarded = url.protocol !== 'https:' || isPrivateAddress(address);
    if (guarded && !this.#private.allows(hostname, port, address))
      throw new OutboundFault('forbidden', `${url.origin} is not allowed: see outbound.allow_private`);
  }
}
