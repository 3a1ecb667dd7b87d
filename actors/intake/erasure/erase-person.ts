/** An erasure of one person's submissions as the service runs it, one at a time. Contract: docs/contract/intake.md §3.5. */
import type { FormDefinition } from '#config/definitions/form.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { ErasedSubmissions } from '#actors/protocol/person.ts';
import type { ErasureTurns, IntakeStore } from '../store-port.ts';
import type { StoreSettings } from '../store-settings.ts';
import { otherCopies } from './other-copies.ts';
import { personIn } from './person.ts';

export interface ErasurePorts extends ErasureTurns {
  readonly store: Pick<IntakeStore, 'erase'>;
  readonly settings: StoreSettings;
  readonly forms: () => Iterable<FormDefinition>;
  /** Tenants that submissions were handed to. */
  readonly keepers: () => Iterable<string>;
}

export class Erasures {
  readonly #ports: ErasurePorts;
  readonly #serial = new Serial();

  constructor(ports: ErasurePorts) {
    this.#ports = ports;
  }

  /** Erases what was received before; resolves when nothing of it is in the store. Throws where no form declares a person. */
  erase(address: string): Promise<ErasedSubmissions> {
    const { forms, keepers, settings, store } = this.#ports;
    return this.#serial.run(async () => {
      const person = personIn(forms(), address);
      if (person.fields.size === 0)
        throw new Error('no form says which field names the person: write person: <field> into the form files');
      const erased: Record<string, number> = {};
      for (const form of person.fields.keys()) erased[form] = 0;
      for (const form of (await store.erase(person, this.#ports)).values()) erased[form] = (erased[form] ?? 0) + 1;
      return { forms: erased, left: otherCopies(settings), ...keptBy(keepers(), forms()) };
    });
  }

  /** Resolves when none runs. */
  idle(): Promise<void> {
    return this.#serial.idle();
  }
}

/** Tenants that keep copies, those of forms among them (a rebuilt database remembers no others): main asks each, and counts. */
function keptBy(keepers: Iterable<string>, forms: Iterable<FormDefinition>): Pick<ErasedSubmissions, 'tenants'> {
  const declared = [...forms].flatMap(({ person, tenant }) =>
    person === undefined || tenant === undefined ? [] : [tenant],
  );
  const keys = new Set([...keepers, ...declared]);
  return keys.size === 0 ? {} : { tenants: Object.fromEntries([...keys].map((key) => [key, 0])) };
}
