/** Chooses the server. */
import { openNodeDoor } from './node-http.ts';
import type { Door, DoorOptions, OpenDoor, VisitHandler } from './port.ts';
import { lackOfUws, loadAddon, openUwsDoor } from './uws.ts';

export type DoorKind = 'uws' | 'node';

export const doors: Readonly<Record<DoorKind, OpenDoor>> = { uws: openUwsDoor, node: openNodeDoor };

/** What SKEP_DOOR forces, or undefined. Throws on another word. */
export function forcedDoor(word: string | undefined): DoorKind | undefined {
  if (word === undefined || word === '') return undefined;
  if (word !== 'uws' && word !== 'node') throw new Error(`SKEP_DOOR is ${word}; it takes uws or node`);
  return word;
}

/** Whether the addon has a binary for this machine. */
async function addonFault(): Promise<unknown> {
  try {
    await loadAddon();
    return null;
  } catch (error) {
    return error;
  }
}

/**
 * Opens a door on uWebSockets.js, on node:http where the options ask for what the addon cannot do, and with a warning where it does not load. `kind`
 * forces one of those that can.
 */
export async function openDoor(
  options: DoorOptions,
  handler: VisitHandler,
  kind: DoorKind | undefined = forcedDoor(process.env['SKEP_DOOR']),
): Promise<Door> {
  if (lackOfUws(options) !== null) return openNodeDoor(options, handler);
  if (kind !== undefined) return doors[kind](options, handler);
  const fault = await addonFault();
  if (fault === null) return openUwsDoor(options, handler);
  process.emitWarning(`uWebSockets.js does not load, so node:http serves, slower: ${(fault as Error).message}`);
  return openNodeDoor(options, handler);
}
