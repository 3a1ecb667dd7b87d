/** What the BFF keeps for a tenant that is awake. */
import { BFF_HEADERS } from '#config/definitions/bff/shapes.ts';
import type { BffEndpointDefinition } from '#config/definitions/bff/shapes.ts';
import { inText, referencesOf } from '#config/definitions/bff/template.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Activation } from '#actors/host/activation.ts';
import { followProduct } from '#actors/host/served-product.ts';
import type { Program } from '#actors/kit/jq/program.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import type { Router } from '#actors/protocol/router.ts';
import type { CallEnd } from './call/end.ts';
import type { Origin } from './outside/origin.ts';
import type { Exchange } from './outside/pools.ts';
import { arrangingOnly } from './response/arranging.ts';
import { KeptAnswers } from './store.ts';

export const SERVICE = 'bff';

export interface BffSettings {
  readonly exchange: Exchange;
  readonly jobs: Jobs;
}

export interface OpenEndpoint {
  readonly definition: BffEndpointDefinition;
  /** Names of the path's parameters in order. */
  readonly params: readonly string[];
  /** Request headers that its answer may depend on. */
  readonly headers: readonly string[];
  /** The response's program where it is jq. */
  readonly program: Program | null;
}

export interface BffPart {
  readonly endpoints: readonly OpenEndpoint[];
  readonly router: Router;
  readonly kept: KeptAnswers;
  /** Outside reads that are on their way, by principal and request. */
  readonly flights: Map<string, Promise<CallEnd>>;
  readonly origins: Map<string, Promise<Origin>>;
  readonly settings: BffSettings;
  readonly activation: Activation;
  /** Requests under way, those of definitions before these among them. */
  readonly load: { running: number };
}

/** Opens what the product declares, and what those say that come later. Throws DefinitionError naming the place of a response that is more than an arrangement. */
export function wake(activation: Activation, settings: BffSettings): void {
  const first = { origins: new Map(), settings, activation, load: { running: 0 } };
  activation.parts.set(SERVICE, opened(activation.product, first));
  followProduct(activation, (product) => {
    const next = opened(product, first);
    return () => void activation.parts.set(SERVICE, next);
  });
}

/** What was kept goes with the definitions that it was made by: a request under way keeps for its own. */
function opened(
  { bff = [] }: ProductDefinition,
  lasting: Pick<BffPart, 'origins' | 'settings' | 'activation' | 'load'>,
): BffPart {
  const endpoints = bff.map(openEndpoint);
  const rows = endpoints.map(({ definition: { method, path } }) => ({ methods: [method], path }));
  return { endpoints, router: compileRouter(rows), kept: new KeptAnswers(), flights: new Map(), ...lasting };
}

function openEndpoint(definition: BffEndpointDefinition): OpenEndpoint {
  const { path, response, calls } = definition;
  const params = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const names = calls.map(({ name }) => name);
  return {
    definition,
    params,
    headers: headersIn(definition),
    program: response?.language === 'jq' ? arrangingOnly(response, names) : null,
  };
}

/** Those that a placeholder names; all of them where a program could look for itself. */
function headersIn({ calls, response }: BffEndpointDefinition): readonly string[] {
  if (response?.language === 'jq' && response.program.includes('header')) return BFF_HEADERS;
  const asked = calls.flatMap(({ path, query, headers, body }) => [
    ...[path, ...[...query, ...headers].map(([, text]) => text)].flatMap(inText),
    ...(body === null ? [] : referencesOf(body)),
  ]);
  const answered = response?.language === 'template' ? referencesOf(response.program) : [];
  const named = [...asked, ...answered].filter(({ source }) => source === 'header').map(({ steps: [name] }) => name!);
  return [...new Set(named)];
}

export const partOf = (activation: Activation): BffPart => activation.parts.get(SERVICE) as BffPart;
