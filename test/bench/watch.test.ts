import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bottleneckOf, busyOf, diskMs, endedSeconds, machineSeconds, watch, type Usage } from '#bench/kit/watch.ts';

const usage = (change: Partial<Usage> = {}): Usage => ({
  serverCores: 0.8,
  clientCores: 0.4,
  otherCores: 0,
  busiest: { thread: 'a worker thread', cores: 0.5 },
  diskBusy: 0.1,
  ...change,
});

test('what was full is named, more than one where more than one was', () => {
  expect(bottleneckOf(usage(), 2, 1)).toBe('nothing: it waits');
  expect(bottleneckOf(usage({ clientCores: 0.95 }), 2, 1)).toBe('the load');
  expect(bottleneckOf(usage({ clientCores: 0.95 }), 4, 2)).toBe('nothing: it waits');
  const both = usage({ busiest: { thread: 'main thread', cores: 0.97 }, diskBusy: 0.99 });
  expect(bottleneckOf(both, 2, 1)).toBe("the server's main thread, the disk");
  expect(bottleneckOf(usage({ serverCores: 1.3, otherCores: 0.2 }), 2, 1)).toBe('all cores together');
  expect(bottleneckOf(usage({ otherCores: 0.7 }), 2, 1)).toBe('all cores: 0.7 of them others had');
});

test('a figure tells the medians of its runs, and nothing where no run was watched', () => {
  const runs = [0.5, 0.7, 0.6].map((serverCores) => ({ usage: usage({ serverCores }), threads: 1 }));
  expect(busyOf(runs, 2)).toEqual({
    serverCores: 0.6,
    clientCores: 0.4,
    otherCores: 0,
    diskBusy: 0.1,
    bottleneck: 'nothing: it waits',
  });
  expect(busyOf([{}])).toEqual({});
});

test('counters of Linux are read from where they stand', () => {
  const fields = ['S', ...Array.from({ length: 10 }, () => '0'), '1', '2', '300', '50', '0'];
  expect(endedSeconds(`42 (a) b) ${fields.join(' ')}`)).toBe(3.5);
  expect(machineSeconds('cpu  100 100 100 9999 9999 50 50 100 77 0\ncpu0 1 1 1 1\n')).toBe(5);
  const disks = ' 254 0 vda 6 9 2 9 2 1 5 2 0 1000388 24 17\n   7 0 loop0 0 0 0 0 0 0 0 0 0 5 0 0\n';
  expect([...diskMs(disks)]).toEqual([['vda', 1_000_388]]);
});

test('a process that works is the server while it lives, and the load once it was waited for', async () => {
  const busy = (ms: number) => ['-e', `process.send?.(0); for (const end = Date.now() + ${ms}; Date.now() < end;);`];
  const server = spawn(process.execPath, busy(60_000), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  try {
    await once(server, 'message');
    const ended = watch();
    await once(spawn(process.execPath, busy(300), { stdio: 'ignore' }), 'close');
    const seen = ended();
    expect(seen.serverCores).toBeGreaterThan(0);
    expect(seen.clientCores).toBeGreaterThan(0);
    expect(seen.busiest.thread).toBe('main thread');
  } finally {
    server.kill('SIGKILL');
  }
});
