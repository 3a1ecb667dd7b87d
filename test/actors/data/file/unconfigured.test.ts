/** A node that keeps no files (docs/contract/data.md §5.9, §6.2). */
import { expect, test } from 'vitest';
import { BodyStream } from '#actors/host/body-stream.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const product = productOf([entityOf('paper', { id: { type: 'string' }, scan: { type: 'file' } })]);
const part = (name: string): string => `--b\r\nContent-Disposition: form-data; name="${name}"`;

function bodyOf(text: string): BodyStream {
  const stream = new BodyStream(() => undefined);
  stream.push(Buffer.from(text));
  stream.end();
  return stream;
}

test('501 v2.file_storage_unconfigured where no file storage is configured; a form without files is an ordinary create', async () => {
  const tenant = await DataTenant.open(product);
  const create = (text: string) =>
    tenant.send('POST', '/data/rest/paper', undefined, {
      principal: USER,
      extra: 'content-type:multipart/form-data; boundary=b\n',
      stream: bodyOf(text),
    });
  const refused = await create(`${part('scan')}; filename="a"\r\n\r\nabc\r\n--b--\r\n`);
  expect([refused.status, refused.body.code]).toEqual([501, 'v2.file_storage_unconfigured']);
  expect((await create(`${part('id')}\r\n\r\np1\r\n--b--\r\n`)).status).toBe(201);
});

test('501 v2.file_downloader_unconfigured for a download', async () => {
  const tenant = await DataTenant.open(product);
  await tenant.send('POST', '/data/rest/paper', { id: 'p1' });
  const { status, body } = await tenant.send('GET', '/data/rest/paper/id/p1?download=true&field=scan');
  expect([status, body.code]).toEqual([501, 'v2.file_downloader_unconfigured']);
});
