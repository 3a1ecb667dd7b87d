/** The peer must be the process that connected: one that has ended or runs another program when it sends a request is refused. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AttestedPeer, PeerChanged } from '#runtime/agent/attestor.ts';
import { AgentMeter } from '#runtime/agent/meter.ts';
import { loadPeerCalls, peerOf } from '#runtime/agent/peer.ts';
import { ExecutableHashes, unitIn } from '#runtime/agent/process-facts.ts';

/** Perl keeps its socket over an exec on request; it continues once it has read a byte. */
const PERL = `use Socket; $^F = 255; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($ARGV[0])) or die;
  sysread(S, $b, 1); `;

/** A connection of a process that then does `next` in Perl, on request. */
async function connected(
  next: string,
): Promise<{ peer: AttestedPeer; socket: Socket; child: ChildProcess; meter: AgentMeter }> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-peer-'));
  const path = join(dir, 's');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const arrived = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const child = spawn('perl', ['-e', PERL + next, path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const socket = await arrived;
  socket.on('error', () => {});
  const meter = new AgentMeter();
  const peer = new AttestedPeer(peerOf(await loadPeerCalls(), socket)!, new ExecutableHashes(), meter);
  onTestFinished(() => {
    child.kill('SIGKILL');
    socket.destroy();
    server.close();
    peer.close();
    rmSync(dir, { recursive: true });
  });
  expect(await peer.looked()).toBe(true);
  return { peer, socket, child, meter };
}

const anybody = [{ selectors: { uid: process.getuid!() } }];

test('a process that stays is matched by path, hash, user and group', async () => {
  const { peer, child, meter } = await connected('sleep 60');
  const path = readlinkSync(`/proc/${child.pid}/exe`);
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  const selectors = { path, sha256, uid: process.getuid!(), gid: process.getgid!() };
  expect(await peer.select([{ selectors }])).toEqual([{ selectors }]);
  expect(await peer.select([{ selectors: { ...selectors, path: '/usr/bin/other' } }])).toEqual([]);
  expect(await peer.select([{ selectors: { ...selectors, sha256: '0'.repeat(64) } }])).toEqual([]);
  expect(meter.attestations).toEqual({ matched: 1, none: 2, refused: 0 });
});

test('a peer that runs another program than when it connected is refused', async () => {
  const { peer, socket, child, meter } = await connected('exec "sleep", "60"');
  expect(await peer.select(anybody)).toEqual(anybody);
  const before = readlinkSync(`/proc/${child.pid}/exe`);
  socket.write('.');
  await expect.poll(() => readlinkSync(`/proc/${child.pid}/exe`)).not.toBe(before);
  await expect(peer.select(anybody)).rejects.toThrow(PeerChanged);
  expect(meter.attestations.refused).toBe(1);
});

test('the same program run anew is another run', async () => {
  const { peer, socket, child } = await connected('exec "perl", "-e", "sleep 60"');
  socket.write('.');
  const linesOf = (): string => readFileSync(`/proc/${child.pid}/cmdline`, 'latin1');
  await expect.poll(linesOf).not.toContain('Socket');
  await expect(peer.select(anybody)).rejects.toThrow(PeerChanged);
});

test('a peer that has ended is refused, though another process may have its number', async () => {
  const { peer, socket, child } = await connected('exit');
  const ended = new Promise((resolve) => child.on('exit', resolve));
  socket.write('.');
  await ended;
  await expect(peer.select(anybody)).rejects.toThrow(PeerChanged);
});

test.each([
  ['0::/system.slice/api.service\n', 'api.service'],
  ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/job.scope\n', 'job.scope'],
  ['12:cpu:/x\n1:name=systemd:/system.slice/old.service\n', 'old.service'],
  ['0::/\n', null],
  ['', null],
])('the unit in %j', (text, unit) => {
  expect(unitIn(text)).toBe(unit);
});
