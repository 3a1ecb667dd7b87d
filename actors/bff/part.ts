/** What the BFF keeps for a tenant that is awake. */
import { BFF_HEADERS, type BffEndpointDefinition } from '#config/definitions/bff/shapes.ts';
import { inText, referencesOf } from '#config/definitions/bff/template.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { tellFaults } from '#actors/host/part-faults.ts';
import { followProduct } from '#actors/host/served-product.ts';
import type { Program } from '#actors/kit/jq/program.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import { faultOf, type PartFault } from '#actors/kit/part-fault.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import { compileRouter, type Router } from '#actors/protocol/router.ts';
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
  /** Query parameters that its answer may depend on; null when a program could read any. */
  readonly queries: readonly string[] | null;
  /** The response's program, when it is jq. */
  readonly program: Program | null;
  /** Whether that program cannot be used: the endpoint is not served. */
  readonly faulty: boolean;
}

export interface BffPart {
  readonly endpoints: readonly OpenEndpoint[];
  readonly router: Router;
  readonly kept: KeptAnswers;
  /** Outside reads under way, by principal and request. */
  readonly flights: Map<string, Promise<CallEnd>>;
  readonly origins: Map<string, Origin | Promise<Origin>>;
  readonly settings: BffSettings;
  readonly activation: Activation;
  /** Requests under way, including those that began with earlier definitions. */
  readonly load: { running: number };
}

const BFF = new Part<BffPart>(SERVICE);

/** Opens the endpoints of the product, and of newer definitions when they come. An endpoint whose response does more than arrange is not served. */
export function wake(activation: Activation, settings: BffSettings): void {
  const first = { origins: new Map(), settings, activation, load: { running: 0 } };
  BFF.set(activation, opened(activation.product, first));
  followProduct(activation, (product) => {
    const next = opened(product, first);
    return () => BFF.set(activation, next);
  });
}

/** Kept answers are dropped with their definitions: a request under way keeps answers for the definitions that it began with. */
function opened(
  product: ProductDefinition,
  lasting: Pick<BffPart, 'origins' | 'settings' | 'activation' | 'load'>,
): BffPart {
  const what =
    'the response of a BFF endpoint does not compile: the endpoint is not served; mend it and run skep tenant provision';
  tellFaults(lasting.activation, SERVICE, responseFaults(product), what);
  const endpoints = (product.bff ?? []).map(openEndpoint);
  const rows = endpoints.map(({ definition: { method, path } }) => ({ methods: [method], path }));
  return { endpoints, router: compileRouter(rows), kept: new KeptAnswers(), flights: new Map(), ...lasting };
}

function openEndpoint(definition: BffEndpointDefinition): OpenEndpoint {
  const params = [...definition.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const program = programOf(definition);
  const faulty = program instanceof DefinitionError;
  return {
    definition,
    params,
    headers: namedIn(definition, 'header') ?? BFF_HEADERS,
    queries: namedIn(definition, 'query'),
    program: faulty ? null : program,
    faulty,
  };
}

function programOf({ response, calls }: BffEndpointDefinition): Program | DefinitionError | null {
  if (response?.language !== 'jq') return null;
  try {
    return arrangingOnly(
      response,
      calls.map(({ name }) => name),
    );
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
}

/** The faults of responses that cannot be used, each with file, line and column. */
export function responseFaults({ bff = [] }: ProductDefinition): PartFault[] {
  return bff.flatMap((definition) => {
    const program = programOf(definition);
    const part = `endpoint ${definition.name} of the BFF`;
    return program instanceof DefinitionError ? [faultOf(part, part, program)] : [];
  });
}

/** Names that placeholders use of a part of the request; null when a program could read any. */
function namedIn({ calls, response }: BffEndpointDefinition, part: 'header' | 'query'): readonly string[] | null {
  if (response?.language === 'jq' && response.program.includes(part)) return null;
  const asked = calls.flatMap(({ path, query, headers, body }) => [
    ...[path, ...[...query, ...headers].map(([, text]) => text)].flatMap(inText),
    ...(body === null ? [] : referencesOf(body)),
  ]);
  const answered = response?.language === 'template' ? referencesOf(response.program) : [];
  const named = [...asked, ...answered].filter(({ source }) => source === part).map(({ steps: [name] }) => name!);
  return [...new Set(named)];
}

export const partOf = (activation: Activation): BffPart => BFF.of(activation);
