/** Whether a process listens on a Unix socket: its file may be left over. */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';

export function isServed(path: string): Promise<boolean> {
  if (!existsSync(path)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
}
