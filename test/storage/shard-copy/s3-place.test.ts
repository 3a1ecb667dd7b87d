import { onTestFinished } from 'vitest';
import { S3Copies } from '#storage/shard-copy/s3-place.ts';
import { S3_KEYS, startS3 } from '#test/kit/s3-server.ts';
import { placeCases } from './place.cases.ts';

placeCases(async () => {
  const server = await startS3('copies');
  onTestFinished(() => server.stop());
  const endpoint = `http://127.0.0.1:${server.port}/copies`;
  const login = { endpoint, region: 'us-east-1', accessKey: S3_KEYS.access, secretKey: S3_KEYS.secret };
  return (log) => new S3Copies({ ...login, prefix: 'node-1/', log });
});
