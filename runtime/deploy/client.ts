/** A deployer's calls of a node's gateway (docs/contract/platform.md §1.10). The key travels in a header and is in no message of this file. */
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { setTimeout as passed } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { limits } from '#config/limits.ts';
import type { Step } from './plan-words.ts';

export interface DeployPlace {
  /** URL of the gateway. */
  readonly to: string;
  readonly customer: string;
  readonly product: string;
  readonly env: string;
  readonly key: string;
}

export interface SentRevision {
  readonly revision: string;
  readonly name: string;
  readonly files: number;
}

export interface TenantPlan {
  readonly plan_id: string;
  readonly max_risk: 'low' | 'medium' | 'high';
  readonly warnings?: readonly string[];
  readonly refusals?: readonly string[];
  readonly steps: readonly Step[];
  readonly revision: string;
  readonly serves: string | null;
}

export interface AppliedPlan {
  readonly status: string;
  readonly error?: string;
  readonly failed_step?: number;
  readonly halted_step?: number;
}

/** A refusal of the node, with its words and its code. */
export class DeployRefused extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

export class DeployClient {
  readonly #place: DeployPlace;

  constructor(place: DeployPlace) {
    this.#place = place;
  }

  async tenants(): Promise<readonly { readonly tenant: string; readonly state: string }[]> {
    const { tenants } = await this.#ask<{ tenants: readonly { tenant: string; state: string }[] }>('GET', 'tenants');
    return tenants;
  }

  send(archive: Buffer): Promise<SentRevision> {
    return this.#ask('POST', 'revisions', archive, 'application/gzip');
  }

  /** `revision` null: back to the one that the tenant served before. */
  plan(tenant: string, revision: string | null, drops: boolean): Promise<TenantPlan> {
    return this.#ask('POST', `tenants/${tenant}/plans`, json({ revision, allow_drops: drops }));
  }

  apply(tenant: string, plan: string, risk: string): Promise<AppliedPlan> {
    return this.#ask('POST', `tenants/${tenant}/plans/${plan}/apply`, json({ confirm_max_risk: risk }));
  }

  /** Waits and asks again where the node says so; each ask is safe to repeat. Throws DeployRefused. */
  async #ask<T>(method: string, path: string, body?: Buffer, type = 'application/json'): Promise<T> {
    for (let left = limits.develop.askTries; ; left--) {
      const { status, headers, value } = await this.#once(method, path, body, type);
      if (status < 300) return value as T;
      const wait = Number(headers['retry-after']);
      if ((status !== 429 && status !== 503) || left <= 1 || !(wait > 0))
        throw refusalOf(status, value as { readonly error?: string; readonly code?: string } | null);
      await passed(Math.min(wait * 1000, limits.develop.askWaitMsMax));
    }
  }

  /** Without a deadline: an apply may build indexes for an hour. */
  async #once(method: string, path: string, body: Buffer | undefined, type: string) {
    const { to, customer, product, env, key } = this.#place;
    const url = new URL(`/superadmin/deploy/${path}`, to);
    const headers = {
      Authorization: `ApiKey ${key}`,
      'X-Customer': customer,
      'X-Product': product,
      'X-Env': env,
      'X-Tenant': 'superadmin',
      ...(body !== undefined && { 'Content-Type': type, 'Content-Length': body.length }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
      const asked = request(url, { method, headers, agent: false }, resolve);
      asked.on('error', (error) => reject(new Error(`${url.origin} does not answer: ${error.message}`)));
      asked.end(body);
    });
    const said = await text(answer);
    return { status: answer.statusCode ?? 0, headers: answer.headers, value: valueOf(said) };
  }
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

function valueOf(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return null; // a proxy's page, or a bare refusal of the door
  }
}

function refusalOf(status: number, value: { readonly error?: string; readonly code?: string } | null): DeployRefused {
  const { error = `the answer was ${status}`, code = String(status) } = value ?? {};
  return new DeployRefused(error, code);
}
