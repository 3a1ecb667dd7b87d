/** What a run of a whole node is like, by its seed: that of the door, of the rooms behind it, and of its vault. */
import type { Platform } from '#config/platform.ts';
import { doorSettingsOf, type DoorSettings } from '#test/simulation/door/settings.ts';
import { EXTRA_ROOMS, settingsOf, type Bounds, type Settings } from '#test/simulation/node/settings.ts';
import { vaultSettingsOf, type VaultRunSettings } from '#test/simulation/vault/settings.ts';

export interface WholeSettings {
  readonly door: DoorSettings;
  readonly rooms: Settings;
  readonly vault: VaultRunSettings;
}

export function wholeSettingsOf(seed: number, bounds: Bounds): WholeSettings {
  const door = doorSettingsOf(seed, bounds);
  // A platform that needs every thread: the courier where products may have triggers.
  const platform = {
    ...door.platform,
    hosts: 1,
    audit: { enabled: true },
    vault: { enabled: true },
    content: { contentsource: { type: 'store' } },
  } as unknown as Platform;
  return {
    // Tenants of all rooms live at one host, and its spare takes its place.
    door: { ...door, hosts: 1, platform },
    rooms: { ...settingsOf(seed, bounds), rooms: new Set(EXTRA_ROOMS), hasDiskFaults: door.hasDiskFaults },
    vault: vaultSettingsOf(seed, bounds),
  };
}
