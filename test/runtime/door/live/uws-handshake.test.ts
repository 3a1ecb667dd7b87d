/** Handshakes beside requests at the door on uWebSockets.js: which are taken, over TLS and after a new certificate too, and how the door closes. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionBudget } from '#runtime/door/connection-budget.ts';
import type { Visit } from '#runtime/door/port.ts';
import { rawWebSocket } from '#test/kit/raw-websocket.ts';
import { Stage } from '../stage.ts';

const AT = '/data/live';
const SOCKETS = { sockets: [{ at: AT, path: AT, messageBytesMax: 1024 }] };

/** Accepts handshakes in a later turn, as a host does, and says of all others what they are. */
const serve = (visit: Visit): void => {
  const text = `${visit.method} ${visit.path} ${visit.header('x-tenant')}`;
  setTimeout(() => visit.answer(visit.upgrades === true ? 101 : 200, 'Content-Type: text/plain\n', text, 'r1'), 5);
};
const urlOf = ({ door }: Stage): string => `http://127.0.0.1:${door.port}`;

test('only a handshake at its path is one; all else is a request as before', async () => {
  const stage = await Stage.open('uws', serve, SOCKETS);
  const open = async (path: string, more: Record<string, string> = {}) => {
    const { head, socket } = await rawWebSocket(urlOf(stage), path, more);
    socket.destroy();
    return head.split('\r\n', 1)[0];
  };
  expect(await open(AT)).toBe('HTTP/1.1 101 Switching Protocols');
  expect(await open(`${AT}?position=a:b:c:d`)).toBe('HTTP/1.1 101 Switching Protocols');
  expect(await open('/data/rest/note')).toBe('HTTP/1.1 200 OK');
  expect(await open(AT, { 'Sec-WebSocket-Version': '12' })).toBe('HTTP/1.1 200 OK');
  expect(await open(AT, { 'Sec-WebSocket-Key': 'short' })).toBe('HTTP/1.1 200 OK');
  expect(await open(AT, { Upgrade: 'h2c' })).toBe('HTTP/1.1 200 OK');
  expect(await open(AT, { 'Content-Length': '3' })).toBe('HTTP/1.1 200 OK');
  expect(await open(AT, { 'X-Tenant': 'a', 'x-tenant': 'b' })).toBe('HTTP/1.1 400 Bad Request');
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
    expect((await fetch(`${urlOf(stage)}${AT}`, { method })).status).toBe(200);
  expect(stage.faults).toEqual([]);
});

test('a position in the query counts where no header names one, and no other header can be made of it', async () => {
  const names = ['x-customer', 'x-tenant', 'x-api-key'];
  const say = (visit: Visit): void =>
    visit.answer(200, `Said: ${names.map((name) => visit.header(name)).join()}\n`, '');
  const stage = await Stage.open('uws', say, SOCKETS);
  const said = async (query: string, more: Record<string, string> = {}) => {
    const { head, socket } = await rawWebSocket(urlOf(stage), `${AT}?${query}`, more);
    socket.destroy();
    return /^Said: (.*)$/m.exec(head)![1]!.trim();
  };
  expect(await said('position=acme:shop:dev:main')).toBe('acme,main,');
  expect(await said('position=acme:shop:dev:main', { 'X-Tenant': 'other' })).toBe(',other,');
  expect(await said('position=not%0Aone:b:c:d&x=1', { 'X-Api-Key': 'k' })).toBe(',,k');
});

test('a connection is counted while it is there', async () => {
  const connections = new ConnectionBudget(100);
  const stage = await Stage.open('uws', serve, { ...SOCKETS, connections });
  const many = await Promise.all(Array.from({ length: 10 }, () => rawWebSocket(urlOf(stage), AT)));
  expect(connections.open).toBe(10);
  for (const { socket } of many) socket.destroy();
  await expect.poll(() => connections.open).toBe(0);
});

test('a door that closes says so to its connections, at once where they hold nothing', async () => {
  const stage = await Stage.open('uws', serve, { ...SOCKETS, drainMs: 20_000 });
  const live = await rawWebSocket(urlOf(stage), AT);
  await stage.door.close();
  await expect.poll(live.code).toBe(1001);
});

test('over TLS, for each name, and after the certificate was read again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-live-tls-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const pairOf = (name: string) => {
    const pair = { keyFile: join(dir, `${name}.key`), certFile: join(dir, `${name}.cert`) };
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      `/CN=${name}`,
    ];
    const names = ['-addext', `subjectAltName=DNS:${name}`];
    execFileSync('openssl', [...args, ...names, '-keyout', pair.keyFile, '-out', pair.certFile], { stdio: 'ignore' });
    return pair;
  };
  const tls = { ...pairOf('one.example'), others: [pairOf('two.example')] };
  const stage = await Stage.open('uws', serve, { ...SOCKETS, tls });
  const headAt = async (servername: string) => {
    const socket = connect({ port: stage.door.port, host: '127.0.0.1', servername, rejectUnauthorized: false });
    const { head } = await rawWebSocket('https://127.0.0.1', AT, {}, socket);
    socket.destroy();
    return head;
  };
  for (const name of ['one.example', 'two.example']) expect(await headAt(name)).toMatch(/^HTTP\/1.1 101 /);
  await stage.door.renew();
  for (const name of ['one.example', 'two.example']) expect(await headAt(name)).toMatch(/^HTTP\/1.1 101 /);
});
