/** The attacks of a tenant that tests make: what it does with the rights that it has, whom that would hurt, and the test that plays it. */
import type { Kind } from '#bench/hostile/attack.ts';
import type { Citation } from '#test/kit/citations.ts';

export interface TenantAttack {
  readonly name: string;
  /** What its kind has in common. */
  readonly does: string;
  readonly hurts: string;
  readonly proof: Citation;
}

const NEIGHBOURS = 'test/scenario/hostile-neighbours.test.ts';
/** The block of `NEIGHBOURS` in which each attack has a test. */
const BLOCK = 'the attacker gets what is declared, and the neighbour each of its answers';
const TIME = 'neighbours on the same host: their time, the memory of the node';

/** Attacks of bench/hostile/ that are made in each run of the tests; the bench makes all of them. */
export const ON_NEIGHBOURS: readonly {
  readonly kind: Kind;
  readonly does: string;
  readonly names: readonly string[];
}[] = [
  {
    kind: 'jq',
    does: 'an expression that grows or is long',
    names: ['sh-doubles', 'repeat-text', 'split-join', 'pattern'],
  },
  {
    kind: 'cel',
    does: 'rows over which a rule takes long',
    names: ['pairs', 'triple', 'contains', 'matches', 'matches-large', 'join'],
  },
  {
    kind: 'sql',
    does: 'a statement whose work multiplies, or whose values grow',
    names: [
      'correlated',
      'correlated-many',
      'crossed',
      'nested',
      'repeated',
      'replaced',
      'liked',
      'cast',
      'span',
      'ordered',
      'told-apart',
      'digits',
    ],
  },
  {
    kind: 'graphql',
    does: 'a query that is wide, deep, circular or full of strangers',
    names: [
      'aliases',
      'deep',
      'fragments',
      'cycle',
      'pages',
      'fields',
      'directives',
      'introspection',
      'strings',
      'arguments',
      'strangers',
      'patterns',
      'long-pattern',
    ],
  },
  {
    kind: 'pattern',
    does: 'a value that a pattern of a field takes long over',
    names: ['hyphens', 'loose', 'wide', 'many'],
  },
  { kind: 'template', does: 'a template whose result is large', names: ['large', 'nested', 'many-places'] },
  {
    kind: 'filter',
    does: 'a filter that is long, or looks at every row',
    names: ['in', 'like', 'ilike', 'stepped', 'long-like', 'digits', 'long-in'],
  },
  { kind: 'script', does: 'a script that does not end, grows or answers too much', names: ['loop', 'text', 'stack'] },
  {
    kind: 'json',
    does: 'a body of many, deep or strange values',
    names: ['shapes', 'keys', 'indexes', 'same-key', 'lists', 'deep', 'number', 'zeros'],
  },
  {
    kind: 'multipart',
    does: 'a form of many parts, heads or near boundaries',
    names: [
      'parts',
      'headers',
      'header-line',
      'near-boundaries',
      'text',
      'no-end',
      'digits',
      'pattern',
      'long-boundary',
    ],
  },
];

const onNeighbours: readonly TenantAttack[] = ON_NEIGHBOURS.flatMap(({ kind, does, names }) =>
  names.map((name) => ({
    name: `${kind}-${name}`,
    does,
    hurts: TIME,
    proof: { file: NEIGHBOURS, title: `${BLOCK} > ${kind}-${name}` },
  })),
);

const within = (file: string, does: string, hurts: string, titles: Readonly<Record<string, string>>): TenantAttack[] =>
  Object.entries(titles).map(([name, title]) => ({
    name,
    does,
    hurts,
    proof: { file: `test/scenario/${file}.test.ts`, title },
  }));

export const TENANT_ATTACKS: readonly TenantAttack[] = [
  ...onNeighbours,
  ...within(
    'superadmin-reach',
    'a superadmin of one tenant acts outside of it',
    'siblings, operators, other customers',
    {
      'reaches-a-sibling': 'a tenant’s superadmin reaches the tenant, neither its siblings nor its operator plane',
      'lists-what-is-not-its-own': 'each sees the tenants that it is over',
      'guesses-keys-of-tenants': 'only the control plane learns which keys are none',
      'makes-a-wider-key':
        'a superadmin confers no role that reaches beyond that superadmin’s plane, so no key over other customers can be made',
    },
  ),
  ...within(
    'tenant-quotas',
    'writes, uploads, calls and computes without an end',
    'everybody on the node: disk, network, time',
    {
      'fills-with-rows':
        'rows: each way of writing one more is refused with 507 and keeps nothing; deletes and changes go on',
      'fills-with-large-rows': 'bytes: a write that grows beyond is refused, one that shrinks is not',
      'fills-with-files':
        'bytes of files: one that has no room is refused before it is kept, in each way it may come; the neighbour has its own',
      'calls-without-end':
        'calls outside: exactly so many leave, then the call has failed by its quota and the upstream hears nothing',
      'computes-all-day': 'processor time: counted, and 429 until the day ends once it is used up',
    },
  ),
  ...within('mails-bounded', 'mails without an end', 'neighbours, whose mails wait; the name of the sender', {
    'mails-without-end':
      'one mail leaves, the next waits while a neighbour’s leaves; callers are told the same, and a larger quota lets it go',
  }),
  ...within('stale-tokens', 'a credential of before', 'the tenant that has the key now', {
    'token-of-an-earlier-tenant':
      'a tenant that is made anew takes no token of the one that had its key: user, service, on every service',
  }),
  ...within('tenant-standing', 'goes on though it is suspended', 'the operator, who has ended it', {
    'suspended-and-logs-in': 'its credentials open no audit log, its auditors’ log keeps what was recorded',
  }),
  ...within(
    'blast-radius',
    'a product that does not load, or breaks its tenants',
    'neighbours: the start of the node',
    {
      'checkout-that-does-not-load': 'a node that starts over a checkout that does not load serves what it served',
      'change-without-a-plan': 'a change that needs a plan is refused before anything is written',
    },
  ),
  ...within('runaways', 'programs that do not end, all at once', 'everybody on the node: job threads, memory', {
    'all-runaways-at-once':
      'each is answered 500 by its budget or 503 with Retry-After, others are answered meanwhile, and no thread or memory stays',
  }),
  ...within('bff-attack', 'a call outside that goes elsewhere', 'the machine and its network', {
    'name-of-this-machine': 'a declared host that resolves to this machine is not reached',
    'redirect-to-a-neighbour': 'a redirect to a neighbour is no answer',
    'header-in-a-header': 'a header takes one line: what would begin another is refused',
    'parameter-in-a-parameter': 'a parameter cannot add another',
    'upstream-that-hangs': 'others are served while it does, and its own callers are bounded',
  }),
  ...within('live-hostile', 'a WebSocket against its bounds', 'the door, and all who come through it', {
    'frames-without-a-mask': 'frames without a mask are never obeyed',
    'frame-larger-than-memory':
      'a frame that announces more bytes than fit no memory ends the connection before they come',
    'flood-of-subscribes': 'thousands of subscribes are a flood: the connection is closed, and few reached a host',
    'too-many-subscriptions': 'a connection has so many subscriptions and no more',
    'idle-connections': 'a connection that asks for nothing is closed',
    'reader-that-stands-still': 'a reader that stands still costs no more than its windows, and is told reset',
  }),
  ...within('changes-bounds', 'reads changes slowly, or all at once', 'the host: memory', {
    'slow-reader-of-changes': 'a reader that stands still gets reset, and little more than was on its way',
    'snapshot-of-everything': 'a snapshot has so many rows and no more, in a page and in a stream',
  }),
  ...within('channels', 'a member of a channel that does not read', 'its other members', {
    'member-that-does-not-read': 'a slow reader is told what it lost, and others do not wait for it',
  }),
];

/** The section of docs/reliability.md: a row for what attacks have in common. */
export function attacksSection(): string[] {
  const kinds = Map.groupBy(TENANT_ATTACKS, ({ does, proof }) => `${does}\n${proof.file}`);
  const rows = [...kinds.values()].map((all) => {
    const { does, hurts, proof } = all[0]!;
    return `| ${does} | ${hurts} | ${all.map(({ name }) => `\`${name}\``).join(', ')} | \`${proof.file}\` |`;
  });
  return [
    '## Attacks of tenants',
    '',
    `${TENANT_ATTACKS.length} attacks that a tenant, its users or its product could make with the rights that they have are made in each run of the tests. Each gets what is declared, and the others are served.`,
    'Who else attacks, and what stops them: `docs/explanation/threat-model.md`.',
    '',
    '| what is done | whom it would hurt | attacks | test |',
    '|---|---|---|---|',
    ...rows,
    '',
  ];
}
