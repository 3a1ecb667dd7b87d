/** `skep config show`: the effective configuration, secrets masked. */
import { stringify } from 'yaml';
import { loadPlatform, type LoadOptions } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { CliError, EXIT } from './terminal.ts';

export type ConfigFormat = 'yaml' | 'json';

/** The platform of a file; ends the verb with every problem in it. */
export function loadOrExplain(file: string | undefined, options: LoadOptions): Platform {
  const loaded = loadPlatform(file ?? null, options);
  if ('problems' in loaded) throw new CliError(renderProblems(loaded.problems), EXIT.usage);
  return loaded.platform;
}

/** A configuration as text. */
export function configText(shown: Record<string, unknown>, format: ConfigFormat): string {
  return format === 'json' ? `${JSON.stringify(shown, null, 2)}\n` : stringify(shown, { lineWidth: 0 });
}
