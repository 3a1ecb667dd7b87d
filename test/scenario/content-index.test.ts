/** Both indexes of a store over HTTP, by the same cases. Source: docs/contract/content.md §3.1, `index`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { magazineIndexed, startMagazine } from '#test/kit/magazine.ts';
import { indexCases } from './content-index.cases.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-index-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

indexCases('index: database', () => startMagazine());
indexCases('index: fs', () => startMagazine({ localdir: magazineIndexed(dir) }));
