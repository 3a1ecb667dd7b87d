import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import { MemoryBlobs } from './memory.ts';
import { blobCases } from './blob.cases.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-blobs-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let no = 0;

blobCases('a directory', () => new DirectoryBlobs(join(dir, String(no++))));
blobCases('memory', () => new MemoryBlobs());
