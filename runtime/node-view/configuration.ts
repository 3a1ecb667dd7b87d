/** The settings of the node by pages. They do not change while it runs, so the list is made once, when it is asked for. */
import type { Platform } from '#config/platform.ts';
import { settingsOf, type Setting } from '#config/settings.ts';
import type { NodeConfiguration } from '#actors/protocol/node-view.ts';

export class ConfigurationView {
  readonly #platform: Platform;
  #settings: readonly Setting[] | null = null;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The settings behind a key, from the first one on where it is null, or no key of a setting. */
  page(after: string | null, limit: number): NodeConfiguration {
    const { file, hives } = this.#platform;
    const all = (this.#settings ??= settingsOf(this.#platform));
    const start = after === null ? 0 : all.findIndex(({ key }) => key === after) + 1;
    const settings = all.slice(start, start + limit);
    const more = start + limit < all.length;
    return { file, tenants: hives.tenant.length, settings, next: more ? settings.at(-1)!.key : null };
  }
}
