/** The scripted endpoints of a tenant that is awake, by exact path, with what they remember: rates and cached answers. */
import type { EndpointDefinition } from '#config/definitions/product.ts';
import { EndpointCache } from './cache.ts';
import { EndpointRates } from './rate.ts';

export type Verb = EndpointDefinition['verb'];

export class Endpoints {
  #byPath: ReadonlyMap<string, ReadonlyMap<Verb, EndpointDefinition>> = new Map();
  readonly cache = new EndpointCache();
  readonly rates = new EndpointRates();

  constructor(definitions: readonly EndpointDefinition[]) {
    this.declare(definitions);
  }

  /** Serves these from now on. Rates go on counting; kept answers came from other definitions and are dropped. */
  declare(definitions: readonly EndpointDefinition[]): void {
    const byPath = new Map<string, Map<Verb, EndpointDefinition>>();
    for (const endpoint of definitions) {
      let verbs = byPath.get(endpoint.path);
      if (verbs === undefined) byPath.set(endpoint.path, (verbs = new Map()));
      verbs.set(endpoint.verb, endpoint);
    }
    this.#byPath = byPath;
    this.cache.clear();
  }

  /** The endpoints at exactly this path by their verbs, or undefined. */
  at(path: string): ReadonlyMap<Verb, EndpointDefinition> | undefined {
    return this.#byPath.get(path);
  }
}
