/** Die Texte der Konsole auf Deutsch. */
import { actingDe, meDe } from './acting.ts';
import { actsDe } from './acts-de.ts';
import { auditDe } from './audit-de.ts';
import { contentDe } from './content.ts';
import { bucketsDe } from './buckets.ts';
import { bulkDe } from './bulk.ts';
import { clusterDe } from './cluster.ts';
import { dataDe, placesDe } from './data.ts';
import { formsDe } from './forms-de.ts';
import { hourDe } from './hour.ts';
import { gridDe } from './grid.ts';
import { importingDe } from './importing.ts';
import { keepingDe } from './keeping.ts';
import { keysDe } from './keys.ts';
import { liveDe } from './live.ts';
import { logicDe, requestsDe } from './logic.ts';
import { mediaDe } from './media.ts';
import { paletteDe } from './palette.ts';
import { peopleDe } from './people-de.ts';
import { productsDe } from './products.ts';
import { rowDe } from './row.ts';
import { schemaDe } from './schema.ts';
import { scratchDe } from './scratch.ts';
import { tenantsDe } from './tenants-de.ts';
import { triggersDe } from './triggers.ts';
import { upkeepDe } from './upkeep.ts';
import { vaultDe } from './vault.ts';
import type { Words } from './en.ts';

export const de: Words = {
  language: 'Deutsch',
  skip: 'Zur Seite springen',
  menu: 'Menü',
  place: 'Wo Sie sind',
  controlPlane: 'Steuerebene',
  colours: 'Dunkel oder hell',
  languages: 'Sprache',
  logOut: 'Abmelden',
  again: 'Noch einmal',
  close: 'Schließen',
  cancel: 'Abbrechen',
  typed: 'Der Name oben',
  copy: 'Kopieren',
  copied: 'Kopiert',
  code: 'Code',
  request: 'Anfrage',
  logIn: {
    title: 'An der Steuerebene anmelden',
    lead: 'Die Anmeldung gilt nur in dieser Seite: Sie endet, wenn die Seite geschlossen oder neu geladen wird.',
    login: 'Adresse',
    password: 'Passwort',
    otp: 'Code des Authenticators',
    otpWanted: 'Dieses Konto hat einen zweiten Faktor.',
    submit: 'Anmelden',
    wrong: 'Die Adresse oder das Passwort ist falsch.',
    tooMany: 'Zu viele Versuche. Warten Sie eine Minute.',
    byPasskey: 'Mit einem Passkey anmelden',
    passkeyGoOn: 'Weiter mit dem Passkey',
    passkeyWanted: 'Dieses Konto verlangt auch seinen Passkey.',
    passkeyDeclined: 'Der Browser zeigte keinen Passkey: Er hat keinen für diese Adresse, oder er wurde abgelehnt.',
    passkeyElsewhere:
      'Passkeys dieses Produkts gelten unter dieser Adresse nicht. Öffnen Sie die Konsole unter einer seiner `passkeys.origins`: auf dem eigenen Rechner unter localhost, nicht unter 127.0.0.1.',
    passkeyUnknown: 'Dieser Passkey gilt hier nicht.',
    noPasskeys: 'Leute dieses Produkts haben keine Passkeys: `passkeys` in seiner product.yaml schaltet sie ein.',
    over: 'Dieser Link wurde schon benutzt oder ist älter als zehn Minuten. Melden Sie sich mit dem Passwort an: Es steht unter `operator_login` in .skep/dev.json.',
    entering: 'Anmeldung mit dem Link …',
  },
  acting: actingDe,
  acts: actsDe,
  audit: auditDe,
  bulk: bulkDe,
  content: contentDe,
  places: placesDe,
  data: dataDe,
  media: mediaDe,
  palette: paletteDe,
  forms: formsDe,
  grid: gridDe,
  importing: importingDe,
  keys: keysDe,
  live: liveDe,
  logic: logicDe,
  me: meDe,
  requests: requestsDe,
  people: peopleDe,
  products: productsDe,
  row: rowDe,
  schema: schemaDe,
  scratch: scratchDe,
  tenants: tenantsDe,
  triggers: triggersDe,
  upkeep: upkeepDe,
  vault: vaultDe,
  operations: {
    ...bucketsDe,
    ...clusterDe,
    ...hourDe,
    ...keepingDe,
    section: 'Betrieb',
    home: 'Übersicht',
    load: 'Last',
    slow: 'Langsame Anfragen',
    logs: 'Protokoll',
    title: 'Läuft der Knoten gut?',
    well: 'Alles in Ordnung',
    wellWhy: 'Jeder Thread bedient, und nichts leistet weniger, als es soll.',
    less: 'Etwas leistet weniger, als es soll',
    down: 'Der Knoten ist nicht bereit',
    since: 'seit',
    draining: 'Der Knoten hält an: Er nimmt bald keine neuen Verbindungen an.',
    noHost: 'Kein Thread bedient Mandanten.',
    degraded: 'Was hier steht, betrifft jede Anfrage.',
    still: 'steht still',
    away: 'wird neu gestartet',
    serving: 'bedient',
    diskLow: 'Die Platte hat weniger Platz als storage.free_bytes_min: Schreiben wird abgelehnt. Schaffen Sie Platz.',
    copyFailed: 'Die Kopie der Journale schlägt fehl:',
    more: 'weitere, die /readyz aufzählt',
    requests: 'Anfragen',
    perSecond: 'pro Sekunde, jetzt',
    failed: 'fehlgeschlagen',
    refused: 'abgelehnt',
    threads: 'Threads',
    ofThreads: 'bedienen',
    restarts: 'Neustarts',
    thread: 'Thread',
    state: 'Zustand',
    quiet: 'Steht still seit',
    disk: 'Platte',
    free: 'frei',
    kept: 'bleiben mindestens frei',
    unknown: 'nicht bekannt',
    journal: 'Journal',
    lag: 'Einträge, die LMDB noch nicht hat',
    hosts: 'Hosts',
    host: 'Host',
    awake: 'Wache Mandanten',
    waiting: 'Wartende Anfragen',
    lagShort: 'Rückstand',
    syncs: 'Synchronisationen',
    started: 'läuft seit',
    version: 'Version',
    slowest: 'Langsamste Anfragen in 15 Minuten',
    noSlow: 'Keine Anfrage der letzten 15 Minuten dauerte 5 ms oder länger.',
    ms: 'Dauer, ms',
    route: 'Route',
    status: 'Status',
    tenant: 'Mandant',
    at: 'Zeit',
    requestId: 'Nummer der Anfrage',
    count: 'Anfragen',
    mean: 'Mittel, ms',
    byDoor: 'Ohne Thread',
    tenants: 'Nach Mandant',
    routes: 'Nach Route',
    others: 'andere',
    noLoad: 'In den letzten 15 Minuten kam keine Anfrage.',
    rates: 'Ratenbegrenzung',
    profile: 'Profil',
    callers: 'Aufrufer',
    noRates: 'Seit dem Start wurde kein Aufrufer von einer Ratenbegrenzung abgelehnt.',
    warnings: 'Neueste Warnungen',
    noLines: 'Es gibt keine solche Zeile.',
    level: 'Niedrigste Stufe',
    service: 'Dienst',
    message: 'Meldung',
    silent: 'Diese Threads haben nicht rechtzeitig geantwortet:',
  },
};
