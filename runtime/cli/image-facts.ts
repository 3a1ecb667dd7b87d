/** What the image of a node promises to those that run it: its user, its ports, its folders. docs/operate/ and its samples are held against it. */
import { LISTENER_ADDRESSES, defaults } from '#config/defaults.ts';
import { parseBind } from '#config/bind.ts';

/** Above the users of distributions (adduser(8) gives 1000 to 59999 to people), so that it is a file owner of the host by accident only. */
const UID = 61_001;
const DATA = '/var/lib/skep';

export const IMAGE = {
  uid: UID,
  user: 'skep',
  /** Debian's libraries come from here. */
  debian: { suite: 'bookworm', version: '12' },
  program: '/opt/skep',
  node: '/usr/bin/node',
  command: '/usr/bin/skep',
  /** Mounted over by an operator's own. */
  platformFile: '/etc/skep/platform.yaml',
  volume: DATA,
  /** One folder below the volume, whose root may hold what is not Skep's (`lost+found`) and belong to another user. */
  dataDir: `${DATA}/data`,
  ports: { gateway: portOf(defaults.gateway.bind), operations: portOf(LISTENER_ADDRESSES.operations) },
  stopSignal: 'SIGTERM',
  /** The size of the pool is the launcher's (runtime/cli/skep), which takes a shell. */
  env: { PATH: '/usr/bin', UV_THREADPOOL_SIZE: '64' },
} as const;

/** The platform file of an image that nothing is mounted over: a node without tenants, which answers its probes. */
export const PLATFORM_FILE = `# What this image serves until your own platform file is mounted over it: a node without tenants.
# A container has addresses of its own, so the listeners are bound to all of them; the operations listener is for probes and Prometheus:
# publish the gateway's port alone. docs/operate/container.md says more.
gateway: { bind: "0.0.0.0:${IMAGE.ports.gateway}" }
listeners: { operations: { bind: "0.0.0.0:${IMAGE.ports.operations}" }, intake: false }
storage: { dir: ${IMAGE.dataDir} }
`;

function portOf(bind: string): number {
  return parseBind(bind)!.port;
}
