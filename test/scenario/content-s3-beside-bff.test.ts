/** An S3 store and the BFF's outside calls in one host: neither takes the other's HTTP client away. */
import { expect, onTestFinished, test } from 'vitest';
import { startBff } from '#test/kit/bff-node.ts';
import { upload } from '#test/kit/magazine.ts';
import { S3_KEYS, startS3 } from '#test/kit/s3-server.ts';

const PAGE = `
name: page
path: /page
auth: service
calls: { one: { url: UPSTREAM/one } }
`;

test('uploads to an S3 store go on after the BFF of their host has called outside', async () => {
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const tenant = `      contentstores:
        - name: locked
          contentroot: { type: s3, url: "127.0.0.1:${s3.port}", accesskey: ${S3_KEYS.access}, secretkey: ${S3_KEYS.secret}, usessl: false, path: media }
`;
  const node = await startBff({ page: PAGE }, { tenant, extra: 'content: { defaultstoreaction: true }' });
  onTestFinished(() => node.stop());
  const editor = await node.service();
  const stored = async (name: string) =>
    (await upload(`${node.gateway}/store/locked/asset`, editor, `bytes of ${name}`, { name })).status;
  expect(await stored('before.txt')).toBe(201);
  expect((await node.call('GET', '/bff/page', editor)).status).toBe(200);
  expect(node.upstream.received).toHaveLength(1);
  expect(await stored('after.txt')).toBe(201);
  expect(s3.objects.size).toBe(2);
});
