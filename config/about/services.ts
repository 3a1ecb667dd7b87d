/** What the keys of the services are for: identity, intake, content. */
import type { Texts } from './explain.ts';

const identity: Texts = {
  'jwks.issuers.iam': 'whose tokens count: this node’s own, or those of another issuer',
  'jwks.check_audience': 'whether a service token must name this service as its audience',
  'bootstrap.token': 'opens POST /auth/bootstrap once; without it that route is closed',
  'identity.keyring': 'keeps the keys that sign tokens in the vault, in place of the control plane',
  'identity.refresh_grace':
    'for how long a used refresh token gives the same successor, so that two tabs stay logged in',
  'identity.mail.mailbox': 'mails stay in the node, which shows them: for development',
  'identity.mail.smtp.host': 'the mail server that takes the mails of logins',
  'identity.mail.smtp.port': 'its port',
  'identity.mail.smtp.starttls': 'whether the connection must be encrypted',
  'identity.mail.smtp.auth': 'how the node logs in there',
  'identity.mail.smtp.username': 'as whom',
  'identity.mail.smtp.password': 'and with what',
  'identity.mail.from': 'the sender of these mails',
  'identity.mail.links.reset': 'your page on which a user sets a new password',
  'identity.mail.links.magic_link': 'your page that a login by mail leads to',
  'identity.mail.links.sign_up': 'your page on which a new user confirms the address',
  'identity.mail.links.invitation': 'your page on which an invited user begins',
  'identity.mail.links.email_change': 'your page on which a user confirms a new address',
};

const http: Texts = {
  'intake.http.bind': 'where the listener of forms listens when it is open',
  'intake.http.max_body_bytes': 'the largest submission',
  'intake.http.max_fields': 'the most fields of one',
  'intake.http.max_parts': 'the most parts of a multipart one',
  'intake.http.read_timeout': 'how long a request may take to arrive on that listener',
  'intake.http.write_timeout': 'how long its answer may take to leave',
  'intake.http.idle_timeout': 'how long a connection may wait between two requests',
};

const kept: Texts = {
  'intake.storage.backend':
    'what keeps submissions: a database beside the log of lines, that log alone, or the database of the node’s log; the latter unless set where there is one',
  'intake.storage.wal_jsonl': 'whether each is a line of the JSONL log, too',
  'intake.storage.batch_max': 'submissions that one write takes together',
  'intake.storage.batch_wait': 'how long a write waits for more of them',
  'intake.storage.queue_depth': 'submissions that may wait for the disk; the next one gets 503',
  'intake.embedded.path': 'where the database of submissions lies',
  'intake.jsonl.dir': 'where their log lies',
  'intake.jsonl.rotate': 'whether the log begins a new file each day',
  'intake.forms.dir': 'where the forms are, one in each file',
  'intake.forms.reload': 'whether SIGHUP reads them again',
  'intake.logging.output': 'where the service of forms logs to',
  'intake.logging.format': 'how its lines are written',
  'intake.logging.level': 'how much it logs',
  'intake.logging.file.path': 'its log file',
  'intake.logging.file.max_size_mb': 'from this size on another file is begun',
  'intake.logging.file.max_backups': 'how many old files stay',
  'intake.logging.file.max_age_days': 'how long they stay',
  'intake.logging.file.compress': 'whether they are compressed',
};

const guarded: Texts = {
  'intake.ratelimit.per_ip': 'submissions a second of one caller',
  'intake.ratelimit.per_ip_burst': 'submissions at once of one caller',
  'intake.ratelimit.global': 'submissions a second of all callers together',
  'intake.ratelimit.global_burst': 'submissions at once of all callers together',
  'intake.ratelimit.ip_ttl': 'for how long a caller that is silent is remembered',
  'intake.ratelimit.max_ips': 'how many callers are remembered',
  'intake.ratelimit.ipv6_prefix': 'callers whose IPv6 addresses begin with so many equal bits share a bucket',
  'intake.security.client_ip_header': 'the header in which the gateway names the caller',
  'intake.security.bind_gateway_only': 'refuses to listen on an address that is neither loopback nor private',
  'intake.security.gateway_secret': 'what a gateway of yours proves itself with',
  'intake.security.gateway_secret_header': 'the header that carries it',
  'intake.cors.origins': 'pages of other origins that may submit',
};

const notices: Texts = {
  'intake.notify.enabled': 'whether submissions are sent to those whom their forms name',
  'intake.notify.workers': 'notices under way at once',
  'intake.notify.queue_depth': 'notices that may wait',
  'intake.notify.max_retries': 'how often a notice that failed is tried again',
  'intake.notify.retry_backoff':
    'how long it waits before the first such try; each next wait is twice as long, up to 30s',
  'intake.notify.timeout': 'how long one try may take',
  'intake.email.provider': 'what takes mails of notices: a mail server, or an API',
  'intake.email.from': 'the sender of notices',
  'intake.email.smtp.host': 'the mail server',
  'intake.email.smtp.port': 'its port',
  'intake.email.smtp.starttls': 'whether the connection must be encrypted',
  'intake.email.smtp.auth': 'how the node logs in there',
  'intake.email.smtp.username': 'as whom',
  'intake.email.smtp.password': 'and with what',
  'intake.email.smtp.oauth.token_url': 'where a token for xoauth2 comes from',
  'intake.email.smtp.oauth.client_id': 'the node’s name at that server',
  'intake.email.smtp.oauth.client_secret': 'its secret there',
  'intake.email.smtp.oauth.scope': 'what the token is for',
  'intake.email.webapi.url': 'the API in place of a mail server',
  'intake.email.webapi.api_key': 'what the node proves itself with there',
  'intake.chat.default_webhook': 'where notices of forms go that have no webhook of their own',
  'intake.outbound.allow_private': 'private addresses that notices may go to; all others of that kind are refused',
};

const content: Texts = {
  'content.defaultstoreaction': 'whether an operation on a store without a rule of its own is allowed',
  'content.defaultappaction': 'the same for content apps',
  'content.loadtenants': 'tenants whose content is read at the start, and not at their first request',
  'content.contentsource.type': 'where stores and apps are declared: in each checkout, in one folder, or in this file',
  'content.contentsource.path': 'that one folder',
  'content.contentstores': 'the stores, where they are declared in this file',
  'content.assets.bytes_max': 'the largest asset',
  'content.assets.store_bytes_max': 'how many bytes a store may hold; without it the disk alone bounds it',
  'content.contentapps': 'the apps, where they are declared in this file',
};

export const serviceTexts: Texts = { ...identity, ...http, ...kept, ...guarded, ...notices, ...content };
