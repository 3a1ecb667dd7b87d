/** Everything that `skep doctor` looks at, in the order in which a start meets it. Nothing is changed. */
import type { Platform } from '#config/platform.ts';
import { callControl } from '#runtime/control.ts';
import { examineDirectory } from './directory.ts';
import { examineDisk } from './disk.ts';
import { fault, type Finding } from './finding.ts';
import { examineListeners } from './listeners.ts';
import { examineMachine, machineFacts } from './machine.ts';
import { examineOrdered } from './ordered.ts';
import { examineRunning } from './running.ts';

/** `nowMs`: milliseconds since 1970, for the ends of certificates. */
export async function examine(platform: Platform, nowMs: number): Promise<Finding[]> {
  const { dir, free_bytes_min: freeBytesMin } = platform.storage;
  const directory = examineDirectory(dir);
  const isRunning = await serves(dir);
  return [
    ...directory,
    ...(directory.some(({ state }) => state === 'fault') ? [] : diskOf(dir, freeBytesMin)),
    ...examineMachine(await machineFacts()),
    ...(await examineListeners(platform, isRunning, nowMs)),
    ...(await examineOrdered(platform, nowMs)),
    ...(await examineRunning(platform, isRunning)),
  ];
}

function diskOf(dir: string, freeBytesMin: number): Finding[] {
  try {
    return examineDisk(dir, freeBytesMin);
  } catch (error) {
    return [fault('disk', (error as Error).message, 'a start would fail there too')];
  }
}

/** Whether a node answers on the directory's control socket; one that refuses the question answers as well. */
export async function serves(dir: string): Promise<boolean> {
  try {
    return (await callControl(dir, 'tenant.list', {})) !== undefined;
  } catch {
    return true;
  }
}
