/** A door that reads its certificate again. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DoorKind } from '#runtime/door/open-door.ts';
import { ConnectionBudget } from '#runtime/door/connection-budget.ts';
import type { TlsFiles, Visit } from '#runtime/door/port.ts';
import { HOST, Stage } from './stage.ts';
import { Wire } from './wire.ts';

/** A certificate of a subject, with DNS names where it has some. */
function makePair(dir: string, name: string, ...hosts: readonly string[]): TlsFiles {
  const pair = { keyFile: join(dir, `${name}.key`), certFile: join(dir, `${name}.cert`) };
  const alternatives =
    hosts.length === 0 ? [] : ['-addext', `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`, ...alternatives, '-keyout', pair.keyFile, '-out', pair.certFile], { stdio: 'ignore' }); // prettier-ignore
  return pair;
}

/** PEM files of a name's certificate and key, and where a door looks for its own. */
function place() {
  const dir = mkdtempSync(join(tmpdir(), 'skep-renew-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const tls = { keyFile: join(dir, 'key.pem'), certFile: join(dir, 'cert.pem') };
  const install = (name: string): void => {
    copyFileSync(join(dir, `${name}.key`), tls.keyFile);
    copyFileSync(join(dir, `${name}.cert`), tls.certFile);
  };
  for (const name of ['one', 'two', 'three']) makePair(dir, name);
  install('one');
  return { dir, tls, install };
}

/** What `openssl s_client` says of the certificate of a new connection, with a server name or without one. */
async function shown(port: number, ...more: readonly string[]): Promise<string> {
  const client = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...more], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  client.stdout.setEncoding('utf8').on('data', (data: string) => (text += data));
  await once(client, 'close');
  return /^subject=.*CN ?= ?(\w+)$/m.exec(text)?.[1] ?? text;
}

async function secure(port: number): Promise<{ readonly wire: Wire; readonly socket: TLSSocket }> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const wire = new Wire(socket);
  await once(socket, 'secureConnect');
  onTestFinished(() => wire.end());
  return { wire, socket };
}

const GET = `GET / HTTP/1.1\r\n${HOST}\r\n`;
const hello = (visit: Visit): void => visit.answer(200, '', visit.ip());

export function renewCases(kind: DoorKind): void {
  describe(`${kind}: a certificate that is read again`, () => {
    test('new connections are shown the new one, old ones live on; again and again', async () => {
      const { tls, install } = place();
      const { door } = await Stage.open(kind, hello, { tls });
      const old = await secure(door.port);
      expect([await shown(door.port), await shown(door.port, '-servername', 'door.test')]).toEqual(['one', 'one']);
      for (const name of ['two', 'three']) {
        install(name);
        expect(await door.renew()).toMatchObject({ subject: `CN=${name}` });
        expect([await shown(door.port), await shown(door.port, '-servername', 'door.test')]).toEqual([name, name]);
        const { wire, socket } = await secure(door.port);
        for (const one of [wire, old.wire]) {
          one.send(GET);
          expect((await one.answer())!.body.toString()).toBe('127.0.0.1');
        }
        expect([socket.getPeerCertificate().subject.CN, old.socket.getPeerCertificate().subject.CN]).toEqual([name, 'one']); // prettier-ignore
      }
    });

    test('a pair that is awaited is shown once it is there, out of one file for key and certificate', async () => {
      const { dir, tls } = place();
      const { certFile, keyFile } = makePair(dir, 'shop', 'shop.test');
      const both = join(dir, 'both.pem');
      const others = [{ certFile: both, keyFile: both, isAwaited: true as const }];
      const { door } = await Stage.open(kind, hello, { tls: { ...tls, others } });
      const now = () => Promise.all([shown(door.port, '-servername', 'shop.test'), shown(door.port)]);
      expect(await now()).toEqual(['one', 'one']);
      writeFileSync(both, readFileSync(keyFile, 'utf8') + readFileSync(certFile, 'utf8'));
      await door.renew();
      expect(await now()).toEqual(['shop', 'one']);
    });

    test('a pair that cannot be used changes nothing, and says why', async () => {
      const { dir, tls, install } = place();
      const { door } = await Stage.open(kind, hello, { tls });
      copyFileSync(join(dir, 'two.cert'), tls.certFile);
      await expect(door.renew()).rejects.toThrow(/key values mismatch/);
      writeFileSync(tls.certFile, 'no certificate');
      await expect(door.renew()).rejects.toThrow(/no start line|PEM/i);
      rmSync(tls.keyFile);
      await expect(door.renew()).rejects.toThrow(/ENOENT.*key\.pem/);
      expect(await shown(door.port)).toBe('one');
      install('two');
      await door.renew();
      expect(await shown(door.port)).toBe('two');
    });

    test('while it is read again and again no connection is lost, and each is counted and closed', async () => {
      const { tls, install } = place();
      const connections = new ConnectionBudget(100);
      const stage = await Stage.open(kind, hello, { tls, connections });
      for (let round = 0; round < 5; round++) {
        install(['two', 'three'][round % 2]!);
        const calls = Array.from({ length: 8 }, async () => {
          const { wire } = await secure(stage.door.port);
          wire.send(GET);
          return (await wire.answer())?.status;
        });
        const [, ...statuses] = await Promise.all([stage.door.renew(), ...calls]);
        expect(statuses).toEqual(Array(8).fill(200));
      }
      expect(connections.open).toBe(40);
      await stage.door.close();
      while (connections.open > 0) await new Promise((resolve) => setImmediate(resolve));
    });

    test('each name is shown its own certificate, every other one the first; all serve, before and after they are read again', async () => {
      const { dir, tls, install } = place();
      const others = [
        makePair(dir, 'shop', 'shop.test', 'www.shop.test'),
        makePair(dir, 'wild', '*.wild.test', 'shop.test'),
      ];
      const { door } = await Stage.open(kind, hello, { tls: { ...tls, others } });
      const at = (name: string): Promise<string> => shown(door.port, '-servername', name);
      const all = async (): Promise<string[]> =>
        [await shown(door.port)].concat(await Promise.all(['shop.test', 'www.shop.test', 'a.wild.test', 'a.b.wild.test', 'wild.test', 'other.test'].map(at))); // prettier-ignore
      expect(await all()).toEqual(['one', 'shop', 'shop', 'wild', 'one', 'one', 'one']);
      const asks = async (servername: string): Promise<unknown> => {
        const socket = connect({ port: door.port, host: '127.0.0.1', servername, rejectUnauthorized: false });
        const wire = new Wire(socket);
        await once(socket, 'secureConnect');
        onTestFinished(() => wire.end());
        wire.send(GET);
        return (await wire.answer())?.status;
      };
      for (const name of ['shop.test', 'a.wild.test', 'other.test'])
        expect([name, await asks(name)]).toEqual([name, 200]);
      install('two');
      const { certFile, keyFile } = makePair(dir, 'new', 'shop.test');
      copyFileSync(certFile, others[0]!.certFile);
      copyFileSync(keyFile, others[0]!.keyFile);
      expect(await door.renew()).toMatchObject({
        subject: 'CN=two',
        others: [expect.stringMatching(/^shop\.test until /), expect.anything()],
      });
      expect(await all()).toEqual(['two', 'new', 'two', 'wild', 'two', 'two', 'two']);
      for (const name of ['shop.test', 'www.shop.test']) expect([name, await asks(name)]).toEqual([name, 200]);
    });

    test('a further certificate without a name, or with another key, opens no door and changes none', async () => {
      const { dir, tls } = place();
      const nameless = makePair(dir, 'nameless');
      const named = makePair(dir, 'named', 'shop.test');
      await expect(Stage.open(kind, hello, { tls: { ...tls, others: [nameless] } })).rejects.toThrow(
        /nameless\.cert has no DNS name/,
      );
      const { door } = await Stage.open(kind, hello, { tls: { ...tls, others: [named] } });
      copyFileSync(nameless.keyFile, named.keyFile);
      await expect(door.renew()).rejects.toThrow(/named\.cert.*key values mismatch/);
      expect(await shown(door.port, '-servername', 'shop.test')).toBe('named');
    });

    test('without TLS there is nothing to read', async () => {
      const { door } = await Stage.open(kind, hello);
      expect(await door.renew()).toBeNull();
    });
  });
}
