/** The node that serves the directory, if one does: what it says itself. */
import type { Platform } from '#config/platform.ts';
import { nearUrl, readinessAt, type Readiness } from '#runtime/observe/ask-operations.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

/** `isRunning`: its control socket answers. */
export async function examineRunning(platform: Platform, isRunning: boolean): Promise<Finding[]> {
  if (!isRunning) return [ok('node', 'none serves this directory now')];
  const { operations } = platform.listeners;
  if (operations === null)
    return [
      warning(
        'node',
        'one serves this directory, and has no operations listener to ask',
        'set listeners.operations: true',
      ),
    ];
  try {
    return told(await readinessAt(nearUrl(operations)));
  } catch (error) {
    const mend = 'it runs with another platform file, or does not answer any more: look at its log';
    return [
      fault('node', `one serves this directory, but ${operations} does not answer: ${(error as Error).message}`, mend),
    ];
  }
}

function told({ ready, degraded = [] }: Readiness): Finding[] {
  const node = ready
    ? ok('node', 'serves')
    : fault('node', 'takes no requests now: it starts, drains, or has no host', 'its log says why');
  return [
    node,
    ...degraded.map(({ scope, name, reason }) =>
      fault(`${scope} ${name}`, reason, 'as it says; /readyz lists it until then'),
    ),
  ];
}
