/** SIGTERM and SIGINT drain and end with 0; a second one ends at once; SIGHUP rotates the logs, reads certificates again, and lifts suspensions of routes. An error that nothing catches ends with 70. */
import type { Log } from '#actors/host/activation.ts';
import { FATAL_EXIT, loadExit } from '#runtime/threads/fatal.ts';

export interface SignalPorts {
  readonly log: Log;
  stop(): Promise<void>;
  rotate(): Promise<void>;
}

/**
 * Until `handleSignals` takes over, SIGTERM and SIGINT end the process with 0, behind `ending`: a start can be repeated. Without a handler the first process of a
 * container would not notice them (pid_namespaces(7)), and be killed when its time is over. Gives the function that takes the handlers away.
 */
export function endWhileStarting(log: Log, ending: () => Promise<void>): () => void {
  let isEnding = false;
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) process.exit(1);
    isEnding = true;
    log.info({ signal }, 'ended before it served: a signal came during the start');
    const exit = (): never => process.exit(0);
    ending().then(exit, exit);
  };
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** From then on an error that nothing catches is in the log, and the process ends with 70: Node's own end is one with 1 and lines that no log has. */
export async function endOnUncaught(log: Log): Promise<void> {
  const exit = await loadExit();
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'the node cannot go on: nothing has caught this error');
    exit(FATAL_EXIT);
  });
}

export function handleSignals(ports: SignalPorts): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    ports.log.info({ signal }, 'draining');
    ports.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        ports.log.error({ err: error }, 'the node did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => {
    ports
      .rotate()
      .catch((error: unknown) =>
        ports.log.error(
          { err: error },
          'SIGHUP: not every log, certificate or policy could be opened or read again; those stay as they were',
        ),
      );
  });
}
