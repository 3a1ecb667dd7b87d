/** The scripted endpoints of a tenant that is awake, by exact path, with what they remember: rates and cached answers. */
import type { EndpointDefinition } from '#config/definitions/product.ts';
import { EndpointCache } from './cache.ts';
import { EndpointRates } from './rate.ts';

export type Verb = EndpointDefinition['verb'];

export class Endpoints {
  readonly #byPath = new Map<string, Map<Verb, EndpointDefinition>>();
  readonly cache = new EndpointCache();
  readonly rates = new EndpointRates();

  constructor(definitions: readonly EndpointDefinition[]) {
    for (const endpoint of definitions) {
      let verbs = this.#byPath.get(endpoint.path);
      if (verbs === undefined) this.#byPath.set(endpoint.path, (verbs = new Map()));
      verbs.set(endpoint.verb, endpoint);
    }
  }

  /** The endpoints at a path by their verbs, or undefined. Nothing but the exact path is found. */
  at(path: string): ReadonlyMap<Verb, EndpointDefinition> | undefined {
    return this.#byPath.get(path);
  }
}
