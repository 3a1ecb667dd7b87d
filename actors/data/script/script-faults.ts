/** Scripts of a product that do not compile: those of endpoints and triggers, and those that stateflows run within a write. */
import type { Place } from '#config/problem.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { PartFault } from '#actors/kit/part-fault.ts';
import { scriptFault } from '#actors/kit/script/script-fault.ts';

interface Script {
  readonly part: string;
  readonly source: string;
  readonly at: Place | undefined;
  /** For a script whose own place is not known. */
  readonly where: string;
}

/** Each with file, line and column. */
export async function scriptFaults(product: ProductDefinition): Promise<PartFault[]> {
  const faults: PartFault[] = [];
  for (const { part, source, at, where } of scriptsOf(product)) {
    const fault = await scriptFault(source);
    if (fault === null) continue;
    const { line, column, message } = fault;
    const place = at === undefined ? where : `${at.file}:${at.line + line - 1}:${at.column + column - 1}`;
    faults.push({ part, where: place, reason: `the script does not compile: ${message}; mend its syntax` });
  }
  return faults;
}

function scriptsOf({ endpoints = [], stateflows = [], triggers = [] }: ProductDefinition): Script[] {
  const ofEndpoints = endpoints.map(({ verb, path, source, sourceAt, where }) => ({
    part: `script of the endpoint ${verb} ${path}`,
    source,
    at: sourceAt,
    where,
  }));
  const ofStateflows = stateflows.flatMap(({ name, states, scriptsAt = {}, where }) =>
    Object.entries(states).flatMap(([state, { entry, exit, events }]) => {
      const own = Object.entries(events).map(([event, { actions }]) => [`events.${event}.actions`, actions] as const);
      const all = [['entry', entry], ['exit', exit], ...own] as const;
      return all.flatMap(([key, source]) => {
        const path = `states.${state}.${key}`;
        if (source === undefined) return [];
        return { part: `script ${path} of the stateflow ${name}`, source, at: scriptsAt[path], where };
      });
    }),
  );
  const ofTriggers = triggers.flatMap(({ name, target, where }) =>
    target.kind === 'script'
      ? [{ part: `script of the trigger ${name}`, source: target.source, at: target.sourceAt, where }]
      : [],
  );
  return [...ofEndpoints, ...ofStateflows, ...ofTriggers];
}
