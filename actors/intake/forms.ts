/** The forms that are served: as declared and as compiled. SIGHUP puts others in their place, whole. */
import type { FormDefinition } from '#config/definitions/form.ts';
import { compileForm } from './compile-form.ts';
import type { CompiledForm } from './compile-form.ts';

export class Forms {
  #definitions: ReadonlyMap<string, FormDefinition>;
  #compiled: ReadonlyMap<string, CompiledForm>;

  /** Throws FormFault when one cannot be checked. */
  constructor(forms: readonly FormDefinition[]) {
    this.#definitions = new Map(forms.map((form) => [form.id, form]));
    this.#compiled = new Map(forms.map((form) => [form.id, compileForm(form)]));
  }

  get compiled(): ReadonlyMap<string, CompiledForm> {
    return this.#compiled;
  }

  definition(id: string): FormDefinition | undefined {
    return this.#definitions.get(id);
  }

  replace(others: Forms): void {
    this.#definitions = others.#definitions;
    this.#compiled = others.#compiled;
  }
}
