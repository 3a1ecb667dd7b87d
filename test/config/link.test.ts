/** `cluster.link` of the platform file: how the nodes on one log reach each other. */
import { expect, test } from 'vitest';
import { bad, good } from './load-text.ts';

const LOG = 'storage: {journal: {driver: postgres, url: "postgres://skep@db.internal/log"}}';
const FILES = 'certificate: link/n1.pem, key: link/n1.key, ca: /etc/skep/ca.pem';
const link = (text: string): string => `${LOG}\ncluster: {link: {${text}, ${FILES}}}`;

test('its paths are absolute, and the others are told the address that it binds unless another is named', () => {
  const { cluster } = good(link('bind: "10.0.0.1:7400"'));
  expect(cluster.link).toMatchObject({ bind: '10.0.0.1:7400', address: '10.0.0.1:7400', ca: '/etc/skep/ca.pem' });
  expect(cluster.link!.key).toMatch(/^\/.*\/link\/n1\.key$/);
  expect(good(link('bind: "0.0.0.0:7400", address: "n1.internal:7400"')).cluster.link!.address).toBe(
    'n1.internal:7400',
  );
});

test('an address that leads nowhere is refused, and so is a link without its files, and one of a node on files', () => {
  for (const text of ['bind: "0.0.0.0:7400"', 'bind: "[::]:7400"', 'bind: "10.0.0.1:7400", address: "10.0.0.1:0"'])
    expect(bad(link(text)).join('\n')).toContain('the other nodes cannot reach this address');
  expect(bad(`${LOG}\ncluster: {link: {bind: "10.0.0.1:7400"}}`).join('\n')).toContain(
    'the key "certificate" is missing',
  );
  expect(bad(`cluster: {link: {bind: "10.0.0.1:7400", ${FILES}}}`).join('\n')).toContain('the journal lies in files');
});
