/** Notices where they can be sent at all. Spec: docs/contract/intake.md §7.1. */
import type { FormDefinition } from '#config/definitions/form.ts';
import type { Log } from '#actors/host/activation.ts';
import type { IntakeSettings } from './settings.ts';

/** Turns notices off, with a warning, where none could be sent. */
export function withTransport(settings: IntakeSettings, forms: readonly FormDefinition[], log: Log): IntakeSettings {
  const { notify } = settings;
  if (notify === null || notify.email || notify.webhook !== '') return settings;
  if (forms.some((form) => form.notify?.chat?.webhook !== undefined)) return settings;
  log.warn({}, 'notify.enabled is true, and there is neither a mail provider nor a webhook: notices stay off');
  return { ...settings, notify: null };
}
