/** The alerts that an operator is given, as text, by group; and the metrics that a text names. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const RULES = fileURLToPath(new URL('../../docs/operate/alerts.yml', import.meta.url));

/** `skep`: of any node. `skep-cluster`: of nodes on a log in a database, which show further metrics. */
type AlertGroup = 'skep' | 'skep-cluster';

/** The rules of a group, without what they say to people. */
export function rulesOf(group: AlertGroup): string {
  const [, ...groups] = readFileSync(RULES, 'utf8').split(/^ {2}- name: /m);
  const found = groups.find((text) => text.startsWith(`${group}\n`));
  if (found === undefined) throw new Error(`no group ${group}`);
  return found.replaceAll(/^\s+(?:do|summary):.*$/gm, '');
}

/** Metrics by themselves, without the endings of a histogram. */
export function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:skep|process)_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
}

/** The metrics that an exposition shows. */
export function metricsShown(exposition: string): Set<string> {
  return new Set([...exposition.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
}
