/** The request under whose cork handshakes become WebSockets. */
import { connect } from 'node:net';
import type { HttpResponse } from 'uWebSockets.js';
import { expect, onTestFinished, test } from 'vitest';
import { CorkAnchor } from '#runtime/door/live/cork-anchor.ts';
import { loadAddon } from '#runtime/door/uws.ts';

/** A request that notes whether its cork is used. */
const otherThat = (used: string[]) =>
  ({
    cork: (work: () => void) => {
      used.push('other');
      work();
    },
  }) as unknown as HttpResponse;

test('work runs under it, at once; once it is gone, under the other one', async () => {
  const anchor = await CorkAnchor.open(await loadAddon());
  const used: string[] = [];
  anchor.cork(() => void used.push('work'), otherThat(used));
  expect(used).toEqual(['work']);
  anchor.close();
  await expect
    .poll(() => {
      used.length = 0;
      anchor.cork(() => void used.push('work'), otherThat(used));
      return used;
    })
    .toEqual(['other', 'work']);
});

test('its port is closed once it is there', async () => {
  const addon = await loadAddon();
  let port = 0;
  const watched = {
    ...addon,
    App: addon.App,
    us_listen_socket_close: addon.us_listen_socket_close,
    us_socket_local_port: (socket: Parameters<typeof addon.us_socket_local_port>[0]) =>
      (port = addon.us_socket_local_port(socket)),
  };
  const anchor = await CorkAnchor.open(watched);
  onTestFinished(() => anchor.close());
  expect(port).toBeGreaterThan(0);
  const code = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve('connected'));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    onTestFinished(() => void socket.destroy());
  });
  expect(code).toBe('ECONNREFUSED');
});
