/** A platform from a text, with every default. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { platformOf } from './platform-of.ts';

export function resolveText(text: string): Platform {
  const dir = mkdtempSync(join(tmpdir(), 'skep-platform-'));
  const file = join(dir, 'platform.yaml');
  writeFileSync(file, text);
  try {
    return platformOf(file);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
