import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { S3Place } from '#storage/backup-set/s3-place.ts';
import { StorageFull } from '#storage/fault.ts';
import { S3_KEYS, startS3 } from '#test/kit/s3-server.ts';
import { placeCases } from './place.cases.ts';

async function open(admits = () => true): Promise<{ place: S3Place; spool: string }> {
  const server = await startS3('sets');
  const spool = mkdtempSync(join(tmpdir(), 'skep-spool-'));
  onTestFinished(async () => {
    await server.stop();
    rmSync(spool, { recursive: true, force: true });
  });
  const endpoint = `http://127.0.0.1:${server.port}/sets`;
  const login = { endpoint, region: 'us-east-1', accessKey: S3_KEYS.access, secretKey: S3_KEYS.secret };
  return { place: new S3Place({ ...login, prefix: 'node-1/', spool, admits }), spool };
}

placeCases(async () => (await open()).place);

test('a spool without room refuses the part and leaves nothing', async () => {
  const { place, spool } = await open(() => false);
  const upload = await place.begin();
  await expect(upload.write(Buffer.from('x'))).rejects.toThrow(StorageFull);
  await upload.drop();
  expect(readdirSync(spool)).toEqual([]);
});
