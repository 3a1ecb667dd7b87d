/** `cluster.carry`: what nodes need so that one may run tenant hosts of another. Spec: docs/how-to/several-doors.md. */
import type { Platform } from './platform.ts';
import { problemAt, type Problem } from './problem.ts';
import { referencesOf } from './references.ts';
import type { Surroundings } from './surroundings.ts';

export function carryProblems(platform: Platform, { tree }: Pick<Surroundings, 'tree'>): Problem[] {
  const { carry, files, link, places } = platform.cluster;
  const problems: Problem[] = [];
  const say = (key: 'carry' | 'places', message: string, mend: string): void => {
    const path = ['cluster', key];
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  if (!carry) {
    const why = 'places are shared out among nodes that carry hosts, and this file lets none do so';
    if (places !== undefined) say('places', why, 'set carry: true on every node, or leave places out');
    return problems;
  }
  if (link === undefined)
    say('carry', 'nodes that carry hosts talk over links, and this node has none', 'set cluster.link, on every node');
  if (files !== 'shared')
    say(
      'carry',
      'a host writes files beside the rows, which would lie on the machine that ran it last',
      'put the folders blobs, content and revisions of storage.dir on a file system that all nodes have, and say so: files: shared',
    );
  if (referencesOf(platform).length > 0)
    say(
      'carry',
      'secrets of this file lie in the vault of the node that serves, which a node that carries hosts does not open',
      'take them from the environment: ${NAME}',
    );
  return problems;
}
