/** The `intake` part of the platform file, the whole of a file given to `skep intake`. Spec: docs/contract/intake.md §2. */
import { LISTENER_ADDRESSES, defaults } from './defaults.ts';
import { limits } from './limits.ts';
import * as kit from './schema-kit.ts';

const is = defaults.intake;
const header = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

const http = kit.section({
  bind: kit.bind().default(LISTENER_ADDRESSES.intake),
  max_body_bytes: kit.whole(1, 8 * 1024 * 1024).default(is.http.max_body_bytes),
  max_fields: kit.whole(1, 10_000).default(is.http.max_fields),
  max_parts: kit.whole(1, 10_000).default(is.http.max_parts),
  read_timeout: kit.duration(limits.intake.httpMsMax).default(is.http.read_timeout),
  write_timeout: kit.duration(limits.intake.httpMsMax).default(is.http.write_timeout),
  idle_timeout: kit.duration(limits.intake.httpMsMax).default(is.http.idle_timeout),
});

const storage = kit.section({
  backend: kit.oneOf(['embedded', 'jsonl', 'postgres']).default(is.storage.backend),
  wal_jsonl: kit.yesNo().default(is.storage.wal_jsonl),
  batch_max: kit.whole(1, 10_000).default(is.storage.batch_max),
  batch_wait: kit.duration().default(is.storage.batch_wait),
  queue_depth: kit.whole(1, 1_000_000).default(is.storage.queue_depth),
});

const logging = kit.section({
  output: kit.oneOf(['file', 'stdout', 'stderr']).default(is.logging.output),
  format: kit.oneOf(['json', 'text']).default(is.logging.format),
  level: kit.oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default(is.logging.level),
  file: kit.section({
    path: kit.path('the path of a file', '/var/log/skep/intake.log').optional(),
    max_size_mb: kit.whole(1, 1_000_000).default(is.logging.file.max_size_mb),
    max_backups: kit.whole(0, 10_000).default(is.logging.file.max_backups),
    max_age_days: kit.whole(0, 36_500).default(is.logging.file.max_age_days),
    compress: kit.yesNo().default(is.logging.file.compress),
  }),
});

const ratelimit = kit.section({
  per_ip: kit.positive().default(is.ratelimit.per_ip),
  per_ip_burst: kit.whole(1, 1_000_000).default(is.ratelimit.per_ip_burst),
  global: kit.positive().default(is.ratelimit.global),
  global_burst: kit.whole(1, 1_000_000).default(is.ratelimit.global_burst),
  ip_ttl: kit.duration(limits.intake.ipIdleMsMax).default(is.ratelimit.ip_ttl),
  max_ips: kit.whole(1, 10_000_000).default(is.ratelimit.max_ips),
  /** Callers whose IPv6 addresses begin with the same bits share a bucket; `rates.ipv6_prefix` of the node unless set. */
  ipv6_prefix: kit.whole(1, 128, defaults.rates.ipv6_prefix).optional(),
});

const security = kit.section({
  client_ip_header: kit
    .pattern(header, 'the name of a header', is.security.client_ip_header)
    .default(is.security.client_ip_header),
  bind_gateway_only: kit.yesNo().default(is.security.bind_gateway_only),
  gateway_secret: kit.optionalSecret('the secret that the gateway sends, or empty'),
  gateway_secret_header: kit
    .pattern(header, 'the name of a header', is.security.gateway_secret_header)
    .default(is.security.gateway_secret_header),
});

const notify = kit.section({
  enabled: kit.yesNo().default(is.notify.enabled),
  workers: kit.whole(1, 64).default(is.notify.workers),
  queue_depth: kit.whole(1, 1_000_000).default(is.notify.queue_depth),
  max_retries: kit.whole(0, 100).default(is.notify.max_retries),
  retry_backoff: kit.duration().default(is.notify.retry_backoff),
  timeout: kit.duration().default(is.notify.timeout),
});

const smtp = kit.section({
  host: kit.optionalText('the host of the mail server, or empty for none', 'smtp.example.org'),
  port: kit.whole(1, 65_535).default(is.email.smtp.port),
  starttls: kit.yesNo().default(is.email.smtp.starttls),
  auth: kit.oneOf(['plain', 'xoauth2', 'none']).default(is.email.smtp.auth),
  username: kit.optionalText('the user name at the mail server', 'forms@example.org'),
  password: kit.optionalSecret('the password at the mail server'),
  oauth: kit.section({
    token_url: kit.httpUrl().optional(),
    client_id: kit.optionalText('the client id at the token server', 'skep'),
    client_secret: kit.optionalSecret('the client secret at the token server'),
    scope: kit.optionalText('the scope asked of the token server', 'mail.send'),
  }),
});

/** All keys of the intake service, with their defaults. */
export const intakeSection = kit.section({
  http,
  storage,
  embedded: kit.section({ path: kit.path('the path of the database', '/var/lib/skep/intake').optional() }),
  jsonl: kit.section({
    dir: kit.path('the path of a directory', '/var/lib/skep/intake-log').optional(),
    rotate: kit.oneOf(['daily', 'none']).default(is.jsonl.rotate),
  }),
  forms: kit.section({
    dir: kit.path('the path of a directory', './forms').default(is.forms.dir),
    reload: kit.oneOf(['startup', 'sighup']).default(is.forms.reload),
  }),
  logging,
  ratelimit,
  security,
  cors: kit.section({
    origins: kit
      .list(kit.pattern(/^https?:\/\/[^/*\s]+$/, 'an origin without a path', 'https://example.org'), 'origins')
      .default([]),
  }),
  notify,
  email: kit.section({
    provider: kit.oneOf(['smtp', 'webapi']).default(is.email.provider),
    from: kit.optionalText('the address of the sender', 'forms@example.org'),
    smtp,
    webapi: kit.section({
      url: kit.httpUrl('where the mail API takes a mail').optional(),
      api_key: kit.optionalSecret('the key of the mail API'),
    }),
  }),
  chat: kit.section({ default_webhook: kit.optionalSecretUrl() }),
  /** Hosts that notices may reach over plain HTTP or at private addresses, besides those of the node. */
  outbound: kit.section({ allow_private: kit.list(kit.hosts(), 'hosts').optional() }),
});
