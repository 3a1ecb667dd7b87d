/** The forms that are served, declared and compiled. SIGHUP replaces all of them at once. */
import type { FormDefinition } from '#config/definitions/form.ts';
import { compileForm, type CompiledForm } from './compile-form.ts';
import { retentionsOf, type Retentions } from './retention.ts';

export class Forms {
  #definitions: ReadonlyMap<string, FormDefinition>;
  #compiled: ReadonlyMap<string, CompiledForm>;
  #retentions: Retentions;

  /** Throws FormFault for a form that cannot be checked. */
  constructor(forms: readonly FormDefinition[]) {
    this.#definitions = new Map(forms.map((form) => [form.id, form]));
    this.#compiled = new Map(forms.map((form) => [form.id, compileForm(form)]));
    this.#retentions = retentionsOf(forms);
  }

  get compiled(): ReadonlyMap<string, CompiledForm> {
    return this.#compiled;
  }

  get retentions(): Retentions {
    return this.#retentions;
  }

  get definitions(): Iterable<FormDefinition> {
    return this.#definitions.values();
  }

  definition(id: string): FormDefinition | undefined {
    return this.#definitions.get(id);
  }

  replace(others: Forms): void {
    this.#definitions = others.#definitions;
    this.#compiled = others.#compiled;
    this.#retentions = others.#retentions;
  }
}
