/** Forms of tenants need a store that keeps their entries (docs/contract/intake.md §3.6). */
import type { FormDefinition } from '#config/definitions/form.ts';
import { FormFault } from '../compile-form.ts';
import type { StoreSettings } from '../store-settings.ts';

/** Throws FormFault, for the operator, where submissions of a form could not be delivered. */
export function assertDeliverable(forms: Iterable<FormDefinition>, { backend }: Pick<StoreSettings, 'backend'>): void {
  if (backend !== 'jsonl') return;
  for (const { id, tenant, where } of forms)
    if (tenant !== undefined)
      throw new FormFault(
        `${where}: form ${id}: submissions of a tenant’s form need the database: set storage.backend to embedded, or remove \`tenant\``,
      );
}
