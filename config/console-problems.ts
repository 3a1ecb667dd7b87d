/** A rule of `listeners.console` that involves several keys: operators' passwords and bearers cross no public network in clear text. */
import { isNearHost, parseBind } from './bind.ts';
import type { Platform } from './platform.ts';
import { problemAt, type Problem } from './problem.ts';
import type { Tree } from './tree.ts';

export function consoleProblems({ gateway, listeners }: Platform, { tree }: { readonly tree: Tree }): Problem[] {
  const { console: bind } = listeners;
  if (bind === null || gateway.tls !== undefined || isNearHost(parseBind(bind)!.host)) return [];
  const path = ['listeners', 'console'];
  return [
    problemAt(
      tree.placeOf(path, 'value'),
      path,
      `the console would listen on ${bind} in clear text`,
      'bind a loopback or private address, or give the gateway a certificate (gateway.tls), which the console shows, too',
    ),
  ];
}
