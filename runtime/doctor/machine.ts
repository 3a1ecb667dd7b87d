/** What the machine gives a process: open files, memory, the door's addon. */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { roomForConnections } from '#runtime/door/connection-budget.ts';
import { addonFault } from '#runtime/door/open-door.ts';
import { ok, warning, type Finding } from './finding.ts';

const CONNECTIONS_MIN = 1000;
const MEBIBYTE = 1024 ** 2;
/** An idle node of all services, and one tenant at work. */
const MEMORY_BYTES_MIN = 768 * MEBIBYTE;

export interface MachineFacts {
  readonly connections: number;
  readonly memoryBytes: number;
  /** Why uWebSockets.js does not load; null where it loads. */
  readonly addonFault: unknown;
}

export const machineFacts = async (): Promise<MachineFacts> => ({
  connections: roomForConnections(),
  memoryBytes: Math.min(totalmem(), groupMemory()),
  addonFault: await addonFault(),
});

export function examineMachine(facts: MachineFacts): Finding[] {
  const { connections, memoryBytes } = facts;
  const memory = `${Math.round(memoryBytes / MEBIBYTE)} MiB`;
  return [
    connections >= CONNECTIONS_MIN
      ? ok('open files', `room for ${connections} connections`)
      : warning(
          'open files',
          `room for ${connections} connections`,
          'raise the limit: LimitNOFILE=65536 in the unit, or ulimit -n',
        ),
    memoryBytes >= MEMORY_BYTES_MIN
      ? ok('memory', memory)
      : warning(
          'memory',
          memory,
          `give it ${MEMORY_BYTES_MIN / MEBIBYTE} MiB or more: with less the system may end the process under load`,
        ),
    facts.addonFault === null
      ? ok('door', 'uWebSockets.js')
      : warning(
          'door',
          `node:http serves, slower: ${(facts.addonFault as Error).message}`,
          'install the addon beside skep: docs/package.md',
        ),
  ];
}

/** What the control group of this process may use (cgroup v2); without one, no bound. A service's own group is seen from inside of it alone. */
function groupMemory(): number {
  try {
    const [, path] = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
    const text = readFileSync(`/sys/fs/cgroup${path ?? ''}/memory.max`, 'utf8').trim();
    return text === 'max' ? Infinity : Number(text);
  } catch {
    return Infinity;
  }
}
