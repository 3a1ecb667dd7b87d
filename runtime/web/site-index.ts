/**
 * Which files a site has now: those of the revision that its tenant serves, as the tenant's host says. It is asked once for many requests, and again
 * when its word is older than `limits.web.freshMs`. A host that is being replaced does not take the pages along: until it answers again, those of before are served.
 */
import { limits } from '#config/limits.ts';
import type { KeptFile } from '#actors/kit/jobs.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { WebAnswer } from '#runtime/host-verbs.ts';

export interface SiteIndexPorts {
  /** The files of a tenant's site, unless the known revision is still the one that it serves. */
  ask(tenant: TenantEntry, known: string | null): Promise<WebAnswer>;
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Told when a host did not answer, with whether earlier files are served meanwhile. */
  failed(tenant: TenantEntry, error: unknown, isServed: boolean): void;
}

export interface SiteContents {
  readonly revision: string | null;
  /** By path from the root: `/index.html`. */
  readonly files: ReadonlyMap<string, KeptFile>;
}

interface Held {
  readonly no: number;
  contents: SiteContents | null;
  until: number;
  asking: Promise<SiteContents> | null;
}

export class SiteIndex {
  readonly #ports: SiteIndexPorts;
  /** By position: as many as there are sites. */
  readonly #held = new Map<string, Held>();

  constructor(ports: SiteIndexPorts) {
    this.#ports = ports;
  }

  /** Rejects where the host did not answer, and no earlier answer is known. */
  of(tenant: TenantEntry): SiteContents | Promise<SiteContents> {
    const { key } = tenant.position;
    let held = this.#held.get(key);
    if (held?.no !== tenant.no) {
      held = { no: tenant.no, contents: null, until: 0, asking: null };
      this.#held.set(key, held);
    }
    if (held.contents !== null && this.#ports.now() < held.until) return held.contents;
    const asked = held;
    return (held.asking ??= this.#ask(tenant, held).finally(() => (asked.asking = null)));
  }

  async #ask(tenant: TenantEntry, held: Held): Promise<SiteContents> {
    try {
      const { revision, files } = await this.#ports.ask(tenant, held.contents?.revision ?? null);
      if (files !== null) held.contents = { revision, files: new Map(files.map((file) => [file.name, file])) };
    } catch (error) {
      this.#ports.failed(tenant, error, held.contents !== null);
      if (held.contents === null) throw error;
    }
    held.until = this.#ports.now() + limits.web.freshMs;
    return held.contents!;
  }
}
