/** The console's texts in English; every other catalogue has the same names. */
import { actingEn, meEn } from './acting.ts';
import { actsEn } from './acts-en.ts';
import { auditEn } from './audit-en.ts';
import { contentEn } from './content.ts';
import { bucketsEn } from './buckets.ts';
import { bulkEn } from './bulk.ts';
import { clusterEn } from './cluster.ts';
import { dataEn, placesEn } from './data.ts';
import { formsEn } from './forms-en.ts';
import { hourEn } from './hour.ts';
import { gridEn } from './grid.ts';
import { importingEn } from './importing.ts';
import { keepingEn } from './keeping.ts';
import { keysEn } from './keys.ts';
import { liveEn } from './live.ts';
import { logicEn, requestsEn } from './logic.ts';
import { mediaEn } from './media.ts';
import { paletteEn } from './palette.ts';
import { peopleEn } from './people-en.ts';
import { productsEn } from './products.ts';
import { rowEn } from './row.ts';
import { schemaEn } from './schema.ts';
import { scratchEn } from './scratch.ts';
import { tenantsEn } from './tenants-en.ts';
import { triggersEn } from './triggers.ts';
import { upkeepEn } from './upkeep.ts';
import { vaultEn } from './vault.ts';

export const en = {
  language: 'English',
  skip: 'Skip to the page',
  menu: 'Menu',
  place: 'Where you are',
  controlPlane: 'Control plane',
  colours: 'Dark or light',
  languages: 'Language',
  logOut: 'Log out',
  again: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  typed: 'The name above',
  copy: 'Copy',
  copied: 'Copied',
  code: 'Code',
  request: 'Request',
  logIn: {
    title: 'Log in to the control plane',
    lead: 'The login lives in this page alone: it ends when the page is closed or loaded again.',
    login: 'Address',
    password: 'Password',
    otp: 'Code of the authenticator',
    otpWanted: 'This account has a second factor.',
    submit: 'Log in',
    wrong: 'The address or the password is wrong.',
    tooMany: 'Too many tries. Wait a minute, and try again.',
    byPasskey: 'Log in with a passkey',
    passkeyGoOn: 'Go on with the passkey',
    passkeyWanted: 'This account asks for its passkey, too.',
    passkeyDeclined: 'The browser showed no passkey: it has none for this address, or it was declined.',
    passkeyElsewhere:
      'Passkeys of this product do not count at this address. Open the console at one of its `passkeys.origins`: on your own machine at localhost, not at 127.0.0.1.',
    passkeyUnknown: 'This passkey does not count here.',
    noPasskeys: 'People of this product have no passkeys: `passkeys` in its product.yaml turns them on.',
    over: 'This link was used already, or is older than ten minutes. Log in with the password: `operator_login` in .skep/dev.json has it.',
    entering: 'Logging in with the link …',
  },
  acting: actingEn,
  acts: actsEn,
  audit: auditEn,
  bulk: bulkEn,
  content: contentEn,
  places: placesEn,
  data: dataEn,
  media: mediaEn,
  palette: paletteEn,
  forms: formsEn,
  grid: gridEn,
  importing: importingEn,
  keys: keysEn,
  live: liveEn,
  logic: logicEn,
  me: meEn,
  requests: requestsEn,
  people: peopleEn,
  products: productsEn,
  row: rowEn,
  schema: schemaEn,
  scratch: scratchEn,
  tenants: tenantsEn,
  triggers: triggersEn,
  upkeep: upkeepEn,
  vault: vaultEn,
  operations: {
    ...bucketsEn,
    ...clusterEn,
    ...hourEn,
    ...keepingEn,
    section: 'Operations',
    home: 'Home',
    load: 'Load',
    slow: 'Slow requests',
    logs: 'Log',
    title: 'Is it well?',
    well: 'All is well',
    wellWhy: 'Every thread serves, and nothing works less than it should.',
    less: 'Something works less than it should',
    down: 'The node is not ready',
    since: 'since',
    draining: 'The node is stopping: it takes no new connections soon.',
    noHost: 'No thread serves tenants.',
    degraded: 'What is listed concerns every request.',
    still: 'stands still',
    away: 'is being started again',
    serving: 'serves',
    diskLow: 'The disk has less room than storage.free_bytes_min: writes are refused. Make room.',
    copyFailed: 'The copy of the journals fails:',
    more: 'more, which /readyz lists',
    requests: 'Requests',
    perSecond: 'a second, now',
    failed: 'failed',
    refused: 'refused',
    threads: 'Threads',
    ofThreads: 'serve',
    restarts: 'restarts',
    thread: 'Thread',
    state: 'State',
    quiet: 'Stands still for',
    disk: 'Disk',
    free: 'free',
    kept: 'kept free at least',
    unknown: 'not known',
    journal: 'Journal',
    lag: 'records that LMDB does not have yet',
    hosts: 'Hosts',
    host: 'Host',
    awake: 'Tenants awake',
    waiting: 'Waiting requests',
    lagShort: 'Lag',
    syncs: 'Syncs of the disk',
    started: 'up since',
    version: 'version',
    slowest: 'Slowest requests of 15 minutes',
    noSlow: 'No request took 5 ms or more in the last 15 minutes.',
    ms: 'Time, ms',
    route: 'Route',
    status: 'Status',
    tenant: 'Tenant',
    at: 'At',
    requestId: 'Request id',
    count: 'Requests',
    mean: 'Mean, ms',
    byDoor: 'Without a thread',
    tenants: 'By tenant',
    routes: 'By route',
    others: 'others',
    noLoad: 'No request came in the last 15 minutes.',
    rates: 'Rate limits',
    profile: 'Profile',
    callers: 'Callers',
    noRates: 'No caller was refused by a rate limit since the node started.',
    warnings: 'Newest warnings',
    noLines: 'No such line is kept.',
    level: 'Lowest level',
    service: 'Service',
    message: 'Message',
    silent: 'These threads did not answer in time:',
  },
};

export type Words = typeof en;
