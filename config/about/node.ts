/** What the keys of the node are for: tenants, storage, threads, gateway, listeners, backups, logs, traces. */
import type { Texts } from './explain.ts';

const tenant: Texts = {
  'hives.tenant': 'the tenants that the node knows from the file; others are registered over HTTP',
  'hives.tenant.[].key': 'the position of the tenant, which its requests name in four headers',
  'hives.tenant.[].meta.localdir': 'where the definitions of its product are read from when it is provisioned',
  'hives.tenant.[].meta.url': 'where an archive of them is fetched from when it is provisioned',
  'hives.tenant.[].datastores.<name>.driver': 'what keeps the rows',
  'hives.tenant.[].datastores.<name>.dedicated': 'accepted, and not used by this version',
  'hives.tenant.[].datastores.<name>.runner': 'whether materialized fields are computed without a command',
  'hives.tenant.[].schema': 'accepted, and not used by this version',
  'hives.tenant.[].contentstores':
    'where content stores of this tenant keep their bytes, in place of the data directory',
  'hives.tenant.[].contentstores.[].name': 'the content store that keeps its bytes there',
  'hives.tenant.[].contentstores.[].contentroot': 'a directory, or a bucket of an S3 store',
  'hives.tenant.[].contentstores.[].contentroot.type': 'which of the two it is',
  'hives.tenant.[].contentstores.[].contentroot.path': 'the directory, or the bucket',
  'hives.tenant.[].contentstores.[].contentroot.url': 'where the S3 store listens',
  'hives.tenant.[].contentstores.[].contentroot.accesskey': 'the name of the key for that store',
  'hives.tenant.[].contentstores.[].contentroot.secretkey': 'the key itself',
  'hives.tenant.[].contentstores.[].contentroot.usessl': 'whether the store is asked over TLS',
  'hives.tenant.[].contentstores.[].contentroot.region': 'the region that requests are signed for',
};

const gateway: Texts = {
  'gateway.bind': 'where callers reach the node',
  'gateway.tls.cert': 'the certificate that callers are shown, with its chain; it is read again when it changes',
  'gateway.tls.key': 'its private key',
  'gateway.tls.acme.directory': 'the authority that certificates of sites are ordered from',
  'gateway.tls.acme.agree_terms': 'you agree to the terms of the authority: without it nothing is ordered',
  'gateway.tls.acme.contact': 'whom the authority writes to',
  'gateway.tls.acme.http_bind':
    'where the node answers the challenges of the authority, and leads other requests to HTTPS',
  'gateway.tls.acme.https_port': 'the port in those redirections',
  'gateway.tls.acme.names': 'the sites that get a certificate; all of gateway.sites where it is left out',
  'gateway.tls.acme.ca_file': 'the issuer of the authority’s own certificate, where the machine does not know it',
  'gateway.tls.acme.eab.kid': 'names the account at an authority that asks for one (external account binding)',
  'gateway.tls.acme.eab.hmac': 'proves that account',
  'gateway.tls.others': 'further certificates, of which the one that fits the name is shown',
  'gateway.tls.others.[].cert': 'such a certificate',
  'gateway.tls.others.[].key': 'its private key',
  'gateway.tls.hsts.max_age': 'for how long browsers come back over HTTPS alone (Strict-Transport-Security)',
  'gateway.tls.hsts.subdomains': 'whether that counts for names below, too',
  'gateway.tls.hsts.preload': 'whether browsers may build the name into their lists',
  'gateway.trusted_proxies': 'the proxies in front of the node: they alone may name a caller’s address',
  'gateway.client_address': 'the header in which these proxies name it',
  'gateway.drain_notice': 'how long a node that stops says 503 to probes, before it closes',
  'gateway.access_log.enabled': 'a log line for each answer, or for some of them',
  'gateway.access_log.one_in': 'one request of so many has a line; 0: only slow answers and those of 500 and above',
  'gateway.access_log.slow': 'answers that took longer have a line in any case',
  'gateway.slow_callers.window': 'over how long the speed of a caller is measured before it is cut',
  'gateway.slow_callers.body_bytes_per_second': 'how fast a caller must send its body',
  'gateway.slow_callers.answer_bytes_per_second': 'how fast a caller must take its answer',
  'gateway.cors': 'pages of other origins that may call a product',
  'gateway.cors.<name>.origins': 'the origins of these pages',
  'gateway.sites': 'host names, each of which is one tenant’s',
  'gateway.sites.<name>.tenant': 'whose name it is: requests need no headers there',
  'gateway.compression.enabled': 'whether answers of rows and documents leave compressed for callers that ask for it',
  'gateway.sites.<name>.compressed': 'whether pages and scripts of the folder web leave compressed there',
  'gateway.sites.<name>.cookies': 'whether logins may be kept in cookies there',
  'gateway.sites.<name>.web': 'whether the product’s folder web is served there',
};

/** One text: the listeners have one schema. */
const listeners: Texts = {
  'listeners.operations': 'a listener of its own: operations has probes and metrics, the others one service each',
  'listeners.operations.bind': 'where it listens, in place of its usual address',
  'listeners.console': 'a listener of its own, with the console’s pages and what they ask',
  'listeners.console.bind': 'where it listens, in place of its usual address',
  'listeners.console.tenants':
    'whether people of tenants log in there, too, and see and change their rows; where it listens on loopback unless set',
};

const running: Texts = {
  hosts: 'threads that serve tenants; as many as the machine has cores for unless set',
  'watchdog.replace_after': 'a thread that stands still in one turn for so long is ended and replaced',
  'watchdog.refuse_for': 'for how long the tenant that it stood in is refused afterwards',
  'jobs.threads': 'threads for long work: scripts, jq, reading products',
  'storage.dir': 'where everything that the node stores lies',
  'storage.segment_bytes': 'the size of a file of the journal',
  'storage.free_bytes_min': 'writes are refused when the disk has less room',
  'storage.ballast_bytes': 'room that the node holds, and gives up when the disk is full',
  'storage.scrub_percent':
    'the largest share of a thread’s time for reading everything again in search of damage; 0: never',
  'storage.scrub_every': 'how often it has looked at everything',
  'storage.journal.driver': 'what acknowledges a write: files in the data directory, or a log in a PostgreSQL',
  'storage.journal.url': 'the database of the log, with the user and the password',
  'storage.journal.replication':
    'strict: a write counts when a synchronous standby has it, too; managed: the provider answers for the copies',
  'storage.journal.seal':
    'vault: what the database holds of rows, forms and audit records, and copies of shards, are sealed by keys that the vault keeps; once begun it is for good',
  'cluster.node': 'the name of this node among those on the same log; the machine’s unless set',
  'cluster.lease':
    'how long a node that serves a log may be silent before a standby takes its place; reads are answered for 0.8 of it',
  'cluster.reads':
    'lease: a node whose lease has run out answers no reads; confirmed: each waits for a round to the database behind it, which trusts no clock; local: a node answers them all, though another one may have overtaken them',
  'cluster.files':
    'shared: the folders blobs, content and revisions of storage.dir, and the roots of content stores, lie on a file system that all nodes have at the same time',
  'cluster.carry':
    'whether nodes that stand by run tenant hosts of the one that serves; true on every node, with cluster.link and files: shared',
  'cluster.places':
    'how many tenant hosts the nodes of the cluster run together, as the node that serves says; as many as hosts unless set',
  'cluster.link.bind': 'where this node listens for the others, whose doors send it the requests of its tenants',
  'cluster.link.address': 'where the others reach it; bind unless set',
  'cluster.link.certificate': 'the certificate that it shows them; its name is cluster.node',
  'cluster.link.key': 'the key of that certificate',
  'cluster.link.ca': 'the authority whose certificates the others must show',
  'storage.journal.snapshots.to': 'where copies of shards are written, so that the log can be cut behind them',
  'storage.journal.snapshots.s3.url': 'an S3 store in place of a directory',
  'storage.journal.snapshots.s3.bucket': 'its bucket',
  'storage.journal.snapshots.s3.prefix': 'what the names of the copies begin with',
  'storage.journal.snapshots.s3.region': 'the region that requests are signed for',
  'storage.journal.snapshots.s3.usessl': 'whether the store is asked over TLS',
  'storage.journal.snapshots.s3.accesskey': 'the name of the key for that store',
  'storage.journal.snapshots.s3.secretkey': 'the key itself',
  'storage.journal.snapshots.every': 'how often shards with new entries are copied',
  'storage.history':
    'for how long what the log lets go is kept in the place of copies: a tenant can be brought back as it was at any time within it; not at all unless set',
  'storage.mark': 'keeps how far the data had come, so that an older copy of the directory is noticed',
  'rates.ipv6_prefix': 'callers whose IPv6 addresses begin with so many equal bits share a bucket',
  'rates.<name>': 'the numbers of a rate profile, in place of the built-in ones',
  'rates.<name>.burst': 'requests at once',
  'rates.<name>.per_second': 'requests that a second gives back',
  'outbound.allow_private': 'private addresses that definitions may call; all others of that kind are refused',
  'data.graphql_cost_max': 'values that an answer of GraphQL may hold',
  bff: 'kept for a service of a later version: it is not checked',
  'log.level': 'how much the node logs',
  'log.output': 'where it logs to',
};

const traces: Texts = {
  'telemetry.traces.to': 'where spans are sent',
  'telemetry.traces.headers.<name>': 'sent along, for example a key of the receiver',
  'telemetry.traces.sample': 'the share of requests that is traced',
  'telemetry.traces.trust_parent': 'callers whose traceparent is followed',
  'telemetry.traces.service_name': 'what the node is called in traces',
};

const backups: Texts = {
  'backups.to': 'where sets of the whole node are written',
  'backups.s3.url': 'an S3 store in place of a directory',
  'backups.s3.bucket': 'its bucket',
  'backups.s3.prefix': 'what the names of this node’s objects begin with',
  'backups.s3.region': 'the region that requests are signed for',
  'backups.s3.usessl': 'whether the store is asked over TLS',
  'backups.s3.accesskey': 'the name of the key for that store',
  'backups.s3.secretkey': 'the key itself',
  'backups.every': 'how often a set is made',
  'backups.keep.last': 'the newest sets that stay in any case',
  'backups.keep.hourly': 'of so many hours the newest set stays',
  'backups.keep.daily': 'of so many days',
  'backups.keep.weekly': 'of so many weeks',
  'backups.keep.monthly': 'of so many months',
  'backups.encrypt.recipients': 'who can read the sets: public keys of age',
  'backups.encrypt.identity': 'the secret key of one of them, with which sets are verified',
  'backups.scratch': 'where a set is put together and verified',
  'backups.verify': 'how often a set is restored for proof',
  'backups.journal.every': 'copies of the journal between two sets, for a restore as of a moment',
  'backups.journal.keep': 'for how long they stay',
  'backups.journal.kept_bytes_max': 'how much of the journal waits on the disk for its copy',
};

export const nodeTexts: Texts = { ...tenant, ...gateway, ...listeners, ...running, ...traces, ...backups };
