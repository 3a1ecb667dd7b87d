/** `cluster.link`: its paths, the address that the others are told, and rules that involve several keys. Spec: docs/how-to/managed-database.md. */
import { parseBind } from './bind.ts';
import { limits } from './limits.ts';
import type { Platform, PlatformFile } from './platform.ts';
import { problemAt, type Problem } from './problem.ts';
import { pathFrom, type Surroundings } from './surroundings.ts';

type Cluster = PlatformFile['cluster'];

/** The section with absolute paths, and with the address that the others are told. */
export function clusterFrom(around: Surroundings, cluster: Cluster): Cluster {
  const { link } = cluster;
  if (link === undefined) return cluster;
  const placed = (key: 'certificate' | 'key' | 'ca'): string => pathFrom(around, ['cluster', 'link', key], link[key]);
  const own = { ...link, address: link.address ?? link.bind };
  return { ...cluster, link: { ...own, certificate: placed('certificate'), key: placed('key'), ca: placed('ca') } };
}

const ANYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function linkProblems({ cluster: { link } }: Platform, { tree }: Pick<Surroundings, 'tree'>): Problem[] {
  const at = parseBind(link?.address ?? '');
  if (at === null || !(ANYWHERE.has(at.host) || at.port === 0)) return [];
  const path = ['cluster', 'link', tree.has(['cluster', 'link', 'address']) ? 'address' : 'bind'];
  const mend = `name the address at which the other nodes reach this one: address: 10.0.0.1:${limits.cluster.link.port}`;
  return [problemAt(tree.placeOf(path, 'value'), path, 'the other nodes cannot reach this address', mend)];
}
