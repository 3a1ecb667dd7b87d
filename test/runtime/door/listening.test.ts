/** Which descriptors listen on a port: those of servers, whatever their address; neither their connections nor others' listeners. */
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listeningOn } from '#runtime/door/listening.ts';

test.runIf(process.platform === 'linux').each(['127.0.0.1', '::1', '::'])(
  'the sockets that listen on a port of %s are found, and no others',
  async (host) => {
    const server = createServer().listen(0, host);
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await Promise.all([once(server, 'listening'), once(other, 'listening')]);
    const { port } = server.address() as AddressInfo;
    const client = connect(port, host === '::' ? '127.0.0.1' : host);
    onTestFinished(() => void client.destroy());
    await once(client, 'connect');
    expect(await listeningOn(port)).toHaveLength(1);
    server.close();
    client.destroy();
    await once(server, 'close');
    expect(await listeningOn(port)).toEqual([]);
  },
);
