/** What this Skep is: its version and the versions of what it runs on. */
import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The version of this Skep. */
export function skepVersion(): string {
  return packageFile().version;
}

export function packageFile(): Package {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Package;
}
