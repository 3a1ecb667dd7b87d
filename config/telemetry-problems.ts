/** Rules of `telemetry.traces` that involve several keys. */
import { isIP } from 'node:net';
import { isNearHost } from './bind.ts';
import { limits } from './limits.ts';
import type { Platform } from './platform.ts';
import { targetOf } from './private-hosts.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import type { Tree } from './tree.ts';

/** Headers that the exporter writes itself, in lower case. */
const OWN_HEADERS = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'host',
  'transfer-encoding',
  'connection',
]);
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Spans and credentials do not cross a public network in the clear, and the headers are sendable. */
export function telemetryProblems({ telemetry: { traces } }: Platform, { tree }: { readonly tree: Tree }): Problem[] {
  if (traces === undefined) return [];
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    const whole = ['telemetry', 'traces', ...path];
    problems.push(problemAt(tree.placeOf(whole, 'value'), whole, message, mend));
  };
  const url = new URL(traces.to);
  const { hostname } = targetOf(url);
  if (url.username !== '' || url.password !== '')
    say(['to'], 'the URL holds a credential', 'write it in telemetry.traces.headers, with ${NAME}');
  if (url.search !== '')
    say(
      ['to'],
      'the URL has a query, which is no place for a credential',
      'write it in telemetry.traces.headers, with ${NAME}',
    );
  if (url.protocol === 'http:' && isIP(hostname) !== 0 && !isNearHost(hostname))
    say(
      ['to'],
      `spans would go to ${hostname} in clear text`,
      'write an https URL, or send to a collector near the node',
    );
  for (const [name, value] of Object.entries(traces.headers)) {
    if (OWN_HEADERS.has(name.toLowerCase()))
      say(['headers', name], `${name} is written by the node itself`, 'remove it');
    // A reference to the vault becomes a value only when the node has read it.
    else if (!value.startsWith('vault:') && (!HEADER_VALUE.test(value) || value.length > limits.traces.headerCharsMax))
      say(
        ['headers', name],
        `${name} cannot be sent: its value is no line of visible characters`,
        'check the variable',
      );
  }
  return problems;
}
