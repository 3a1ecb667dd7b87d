/** Collects the problems of one endpoint's file, each with its place. */
import { placeText, problemAt, type Path, type Problem } from '../../problem.ts';
import type { Tree } from '../../tree.ts';
import { isFault, parseText, parseValue, type Fault, type Scope } from './template.ts';
import type { Named, TextTemplate, ValueTemplate } from './shapes.ts';

const NOTHING: ValueTemplate = { kind: 'constant', value: null };

export class Desk {
  readonly scope: Scope;
  /** Hosts of `product.yaml`, `outbound.hosts`; null where that file itself has problems. */
  readonly hosts: readonly string[] | null;
  readonly problems: Problem[] = [];
  readonly #tree: Tree;

  constructor(tree: Tree, scope: Scope, hosts: readonly string[] | null) {
    this.#tree = tree;
    this.scope = scope;
    this.hosts = hosts;
  }

  say(path: Path, message: string, mend: string, part: 'key' | 'value' = 'value'): void {
    this.problems.push(problemAt(this.#tree.placeOf(path, part), path, message, mend));
  }

  /** `file:line:column` of a value. */
  where(path: Path): string {
    return placeText(this.#tree.placeOf(path, 'value'));
  }

  fault(path: Path, { message, mend }: Fault): void {
    this.say(path, message, mend);
  }

  /** A text's pieces; none where the text has a problem. */
  text(text: string, path: Path): TextTemplate {
    const parsed = parseText(text, this.scope);
    if (!isFault(parsed)) return parsed;
    this.fault(path, parsed);
    return [];
  }

  named(map: Readonly<Record<string, string | number | boolean>>, path: Path): Named {
    return Object.entries(map).map(([name, text]) => [name, this.text(String(text), [...path, name])]);
  }

  value(value: unknown, path: Path): ValueTemplate {
    const parsed = parseValue(value, this.scope);
    if (!('fault' in parsed)) return parsed;
    this.fault([...path, ...parsed.at], parsed.fault);
    return NOTHING;
  }
}
