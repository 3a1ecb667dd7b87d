/**
 * Submissions on their way to the tenants of their forms. An entry is written in the commit of its submission and stays until the tenant has the
 * submission durably; each tenant's entries wait for themselves. Spec: docs/contract/intake.md §3.6.
 *
 *   reserved ─▶ committed ─▶ taken, as often as it is asked for ─▶ settled: its entry deleted
 *      └─ not durable: nothing was promised
 */
import { limits } from '#config/limits.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import { foldedAddress, type TakenSubmissions, type TenantSubmission } from '#actors/protocol/submission.ts';
import { keptUntilMs, type Retentions } from '../retention.ts';
import type { PendingDelivery } from '../store-port.ts';
import type { Accepted, Submission } from '../submission.ts';

export interface DeliveryPorts {
  readonly form: (id: string) => FormDefinition | undefined;
  readonly retentions: () => Retentions;
  /** Stored submissions; undefined where one is erased, or past its retention. */
  readonly read: (of: readonly Pick<Submission, 'form' | 'id'>[]) => Promise<readonly (Submission | undefined)[]>;
  /** Deletes an entry, in some later commit. */
  readonly forget: (form: string, id: string) => void;
  /** Records a tenant that submissions are handed to, in some later commit: their entries stay until then. */
  readonly keeper: (tenant: string) => void;
  /** Notifies main that submissions of these tenants wait. */
  readonly pending: (tenants: readonly string[]) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What waits for one tenant. */
interface Waiting {
  /** Forms by submission id, oldest first. */
  readonly forms: Map<string, string>;
  /** Places of submissions that are not durable yet. */
  reserved: number;
  /** Whether main knows of them. */
  isKnown: boolean;
}

export class DeliveryOutbox {
  readonly #ports: DeliveryPorts;
  readonly #tenants = new Map<string, Waiting>();
  readonly #keepers: Set<string>;

  constructor(ports: DeliveryPorts, entries: readonly PendingDelivery[], keepers: readonly string[] = []) {
    this.#ports = ports;
    this.#keepers = new Set(keepers);
    for (const { tenant, form, id } of entries) this.#of(tenant).forms.set(id, form);
  }

  /** The tenant that gets submissions of a form now, with whether it has room for one more; null for a form that stays here. */
  reserve(formId: string): { readonly tenant: string; readonly full: boolean } | null {
    const tenant = this.#ports.form(formId)?.tenant;
    if (tenant === undefined) return null;
    const waiting = this.#of(tenant);
    const full = waiting.forms.size + waiting.reserved >= limits.submissions.waitingMax;
    if (!full) waiting.reserved++;
    return { tenant, full };
  }

  /** Releases the place of a submission; a durable one waits from now on. */
  settled({ tenant, form, id }: Pick<Accepted, 'tenant' | 'form' | 'id'>, durable: boolean): void {
    if (tenant === undefined) return;
    const waiting = this.#of(tenant);
    waiting.reserved--;
    if (!durable) return this.#tidy(tenant, waiting);
    waiting.forms.set(id, form);
    if (waiting.isKnown) return;
    waiting.isKnown = true;
    this.#ports.pending([tenant]);
  }

  /** Notifies main of entries that an earlier run left. */
  resume(): void {
    const tenants = [...this.#tenants].filter(([, { forms }]) => forms.size > 0);
    for (const [, waiting] of tenants) waiting.isKnown = true;
    if (tenants.length > 0) this.#ports.pending(tenants.map(([tenant]) => tenant));
  }

  /** The oldest submissions of a tenant. Those that are gone, or past their time, end here; those that are erased while they are read are not handed over. */
  async take(wish: { readonly tenant: string; readonly limit: number }): Promise<TakenSubmissions> {
    for (;;) {
      const taken = await this.#takeOnce(wish);
      if (taken.submissions.length > 0 || !taken.more) return taken;
    }
  }

  async #takeOnce({ tenant, limit }: { readonly tenant: string; readonly limit: number }): Promise<TakenSubmissions> {
    const waiting = this.#tenants.get(tenant);
    if (waiting === undefined) return { submissions: [], more: false };
    const oldest = [...waiting.forms].slice(0, limit).map(([id, form]) => ({ id, form }));
    const found = await this.#ports.read(oldest);
    const submissions: TenantSubmission[] = [];
    const seen = new Set<string>();
    let chars = 0;
    for (const [at, { id, form }] of oldest.entries()) {
      if (chars > limits.submissions.deliverCharsMax) break;
      seen.add(id);
      if (!waiting.forms.has(id)) continue;
      const shown = this.#shown(form, found[at]);
      if (shown === null) this.settle({ tenant, ids: [id] });
      else {
        submissions.push(shown);
        chars += JSON.stringify(shown.fields).length;
      }
    }
    // Some may have come meanwhile.
    const more = hasOthers(waiting.forms, seen);
    if (!more) waiting.isKnown = false;
    if (submissions.length > 0) this.#keeps(tenant);
    return { submissions, more };
  }

  /** Tenants that submissions were handed to, also by forms that name another tenant by now: they may keep copies. */
  get keepers(): Iterable<string> {
    return this.#keepers;
  }

  #keeps(tenant: string): void {
    if (this.#keepers.has(tenant)) return;
    this.#keepers.add(tenant);
    this.#ports.keeper(tenant);
  }

  #shown(form: string, found: Submission | undefined): TenantSubmission | null {
    const { form: formOf, now, retentions } = this.#ports;
    if (found === undefined) return null;
    const untilMs = keptUntilMs(found, retentions());
    if (untilMs <= now()) return null;
    const person = found.fields[formOf(form)?.person ?? ''];
    return {
      id: found.id,
      form,
      received_at: found.received_at,
      fields: withoutFiles(found.fields),
      person: typeof person === 'string' ? foldedAddress(person) : '',
      until_ms: untilMs === Infinity ? null : untilMs,
    };
  }

  /** The tenant has them. A repeated answer does nothing. */
  settle({ tenant, ids }: { readonly tenant: string; readonly ids: readonly string[] }): { readonly waiting: number } {
    const waiting = this.#tenants.get(tenant);
    if (waiting === undefined) return { waiting: 0 };
    for (const id of ids) {
      const form = waiting.forms.get(id);
      if (form === undefined) continue;
      waiting.forms.delete(id);
      this.#ports.forget(form, id);
    }
    this.#tidy(tenant, waiting);
    return { waiting: waiting.forms.size };
  }

  /** Submissions are erased: none of them leaves any more. */
  drop(ids: readonly string[]): void {
    for (const tenant of this.#tenants.keys()) this.settle({ tenant, ids });
  }

  #of(tenant: string): Waiting {
    let waiting = this.#tenants.get(tenant);
    if (waiting === undefined) this.#tenants.set(tenant, (waiting = { forms: new Map(), reserved: 0, isKnown: false }));
    return waiting;
  }

  #tidy(tenant: string, { forms, reserved }: Waiting): void {
    if (forms.size === 0 && reserved === 0) this.#tenants.delete(tenant);
  }
}

function hasOthers(forms: ReadonlyMap<string, string>, seen: ReadonlySet<string>): boolean {
  for (const id of forms.keys()) if (!seen.has(id)) return true;
  return false;
}

/** A form of a tenant declares no file; one that had some before may have stored them. */
function withoutFiles(fields: Submission['fields']): TenantSubmission['fields'] {
  const kept: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(fields)) if (typeof value !== 'object') kept[name] = value;
  return kept;
}
