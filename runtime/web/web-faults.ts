/** What is wrong with the folder `web` of a checkout, as `skep check` and provisioning say it. */
import { join } from 'node:path';
import { listWeb } from './list-web.ts';
import { servicePrefixes } from './service-prefixes.ts';

/** One line for each fault; '' for none. */
export function webFaults(localdir: string): string {
  const { paths, faults } = listWeb(localdir);
  const taken = servicePrefixes();
  const hidden = paths.flatMap((path) => {
    const first = path.split('/')[1]!;
    return taken.has(first)
      ? [`${join(localdir, path)}: addresses below /${first} belong to a service, so it could not be reached: move it`]
      : [];
  });
  return [...faults, ...hidden].map((line) => `${line}\n`).join('');
}
