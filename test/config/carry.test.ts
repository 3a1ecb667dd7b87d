/** `cluster.carry` of the platform file: what nodes need so that one may run tenant hosts of another. */
import { expect, test } from 'vitest';
import { placeCount, placeRoom } from '#config/places.ts';
import { bad, good } from './load-text.ts';

const LOG = 'storage: {journal: {driver: postgres, url: "postgres://skep@db.internal/log"}}\nhosts: 3\n';
const LINK = 'link: {bind: "10.0.0.1:7400", certificate: n1.pem, key: n1.key, ca: ca.pem}';
const cluster = (text: string): string => `${LOG}cluster: {${text}}`;

test('no node carries hosts unless its file says so, and then there are as many places as it says, or as it has hosts', () => {
  const plain = good(cluster(LINK));
  expect([plain.cluster.carry, placeCount(plain), placeRoom(plain)]).toEqual([false, 3, 3]);
  const carries = good(cluster(`${LINK}, files: shared, carry: true`));
  expect([placeCount(carries), placeRoom(carries)]).toEqual([3, 64]);
  expect(placeCount(good(cluster(`${LINK}, files: shared, carry: true, places: 8`)))).toBe(8);
});

test.each([
  ['files: shared, carry: true', 'set cluster.link, on every node'],
  [`${LINK}, carry: true`, 'say so: files: shared'],
  [`${LINK}, carry: true, files: own`, 'put the folders blobs, content and revisions of storage.dir on a file system'],
  [`${LINK}, files: shared, places: 8`, 'set carry: true on every node, or leave places out'],
  [`${LINK}, files: shared, carry: true, places: 1`, 'places must be a whole number from 2 to 64'],
  [`${LINK}, files: shared, carry: true, places: 65`, 'places must be a whole number from 2 to 64'],
])('%s is refused, and told what to change', (text, mend) => {
  expect(bad(cluster(text)).join('\n')).toContain(mend);
});

test('secrets in the vault of the node that serves are not there where hosts are carried', () => {
  const mail =
    'identity: {mail: {from: a@b.example, smtp: {host: mail.example, username: u, password: "vault:mail"}, links: {reset: "https://a.example/{token}", magic_link: "https://a.example/{token}"}}}\n';
  const vault = 'vault: {enabled: true, seal: {kind: key, current: {file: ./root.key}}}\n';
  const text = `${mail}${vault}${cluster(`${LINK}, files: shared, carry: true`)}`;
  expect(bad(text).join('\n')).toContain('take them from the environment: ${NAME}');
});
