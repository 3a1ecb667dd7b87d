/** Chooses the server. */
import { openNodeDoor } from './node-http.ts';
import type { Door, DoorOptions, OpenDoor, VisitHandler } from './port.ts';
import { lackOfUws, loadAddon, openUwsDoor } from './uws.ts';

export type DoorKind = 'uws' | 'node';

export const doors: Readonly<Record<DoorKind, OpenDoor>> = { uws: openUwsDoor, node: openNodeDoor };

/** The server that SKEP_DOOR forces, or undefined. Throws on any other value. */
export function forcedDoor(word: string | undefined): DoorKind | undefined {
  if (word === undefined || word === '') return undefined;
  if (word !== 'uws' && word !== 'node') throw new Error(`SKEP_DOOR is ${word}; it takes uws or node`);
  return word;
}

/** The error with which the addon does not load on this machine; null where it loads. */
export async function addonFault(): Promise<unknown> {
  try {
    await loadAddon();
    return null;
  } catch (error) {
    return error;
  }
}

/**
 * Opens a door on uWebSockets.js; on node:http where the options ask for what the addon cannot do, and where the addon does not load, which
 * `onNoAddon` hears. `kind` forces one of the two, if it can do what the options ask for.
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
  options.onNoAddon?.(fault);
  return openNodeDoor(options, handler);
}
