/** The order of calls, in stages; calls that wait for one another in a circle have none. */

export interface Waiting {
  readonly name: string;
  readonly needs: readonly string[];
}

export type Staged = { readonly stages: ReadonlyMap<string, number> } | { readonly circle: readonly string[] };

/** The stage of each call, from 0, higher than those of all calls that it needs; or a circle, with its first name again at its end. */
export function stagesOf(calls: readonly Waiting[]): Staged {
  const byName = new Map(calls.map((call) => [call.name, call]));
  const stages = new Map<string, number>();
  const walk = (name: string, way: readonly string[]): readonly string[] | null => {
    if (stages.has(name)) return null;
    const met = way.indexOf(name);
    if (met >= 0) return [...way.slice(met), name];
    let stage = 0;
    for (const need of byName.get(name)!.needs) {
      const circle = walk(need, [...way, name]);
      if (circle !== null) return circle;
      stage = Math.max(stage, stages.get(need)! + 1);
    }
    stages.set(name, stage);
    return null;
  };
  for (const { name } of calls) {
    const circle = walk(name, []);
    if (circle !== null) return { circle };
  }
  return { stages };
}

/** All calls that a call waits for, directly or indirectly; for calls without a circle. */
export function waitsFor(calls: readonly Waiting[], name: string): ReadonlySet<string> {
  const byName = new Map(calls.map((call) => [call.name, call.needs]));
  const met = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const need of byName.get(next) ?? []) {
      if (!met.has(need)) open.push(need);
      met.add(need);
    }
  }
  return met;
}
