/** Every row of docs/contract/content.md has a proof, and the proof holds. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { limits } from '#config/limits.ts';
import { proveContract } from '#test/kit/contract-table.ts';
import { ROWS } from '#test/scenario/content-contract/rows.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const load = (title: string) => ({ file: 'test/config/definitions/content/load-content.test.ts', title });
const assets = (title: string) => ({ file: 'test/scenario/content-assets.test.ts', title });
const indexed = (title: string) => ({ file: 'test/scenario/content-index.cases.ts', title });
const apps = (title: string) => ({ file: 'test/scenario/content-apps.test.ts', title });
const places = (title: string) => ({ file: 'test/scenario/content-places.test.ts', title });
const hooks = (title: string) => ({ file: 'test/scenario/content-webhooks.test.ts', title });
const outbound = (title: string) => ({ file: 'test/actors/kit/outbound/outbound.test.ts', title });

proveContract(ROWS, {
  Folder: {
    'content/types/<type>.yaml: one content type, an entities: document': load(
      'a type becomes an entity, with what a document is besides',
    ),
    'content/apps/<app>/app.yaml: one content app': load('a type becomes an entity, with what a document is besides'),
    'content/stores/stores.yaml: the contentstores: list': load(
      'stores bring asset, folder and tag as entities of the tenant, which the product extends',
    ),
    'content/extend/: extensions to asset, folder, tag': load(
      'stores bring asset, folder and tag as entities of the tenant, which the product extends',
    ),
    'only .yaml files are read; a .yml file is reported at load': load('a .yml file, wherever it lies'),
    'an app naming an undeclared type is reported at load': load('an app that names an undeclared type'),
    'an app folder with no app.yaml is reported at load': load('a folder without app.yaml'),
    'content in contentapps/ and contentstores/ is reported at load, with where it moves': load('the earlier layout'),
  },
  Keys: {
    'store: name, type, active, folderentityname, assetentityname, cacheexpiry, version.enabled, locale, access':
      assets('is stored, described, listed, downloaded'),
    'store: index database or fs': indexed('an asset is stored, described, listed, downloaded'),
    'tenant backends: contentroot os with path': places(
      'a store keeps its bytes where the tenant says: in a directory, or in a bucket',
    ),
    'tenant backends: contentroot s3; the bucket must already exist': places(
      'a store keeps its bytes where the tenant says: in a directory, or in a bucket',
    ),
    'app: contenttypes by full name or last segment': load(
      'where an app speaks several languages, a row is one locale of a document; where it keeps versions, so does the entity',
    ),
    'app: secrets are environment placeholders, never in the product tree': load('a secret in the checkout'),
    'defaultstoreaction and defaultappaction false: an operation with no rule denies': assets(
      'no caller, where a store has no rule: the production posture',
    ),
    'loadtenants: tenants to warm up': places('a tenant of loadtenants is awake before its first request'),
    'contentsource: meta, localdir with path, inline without content types': load(
      'inline holds stores and apps, and serves no content types',
    ),
  },
  Webhooks: {
    'request: POST, headers, signature over the raw body, declared headers': hooks(
      'has the contract’s method, headers, signature and body, and those of Standard Webhooks',
    ),
    'body: event, tenant, timestamp, data with entity, space, type, event, documents': hooks(
      'has the contract’s method, headers, signature and body, and those of Standard Webhooks',
    ),
    'an empty events list subscribes to all': hooks(
      'goes to the subscriptions of its event; a suspended subscription gets nothing',
    ),
    'active false suspends without deleting': hooks(
      'goes to the subscriptions of its event; a suspended subscription gets nothing',
    ),
    'they fire after the write and after cross-locale propagation': hooks('once for a change of all locales, after it'),
    'including writes made through the data service': hooks(
      'of a write made through the data service comes after it has reached all locales, once',
    ),
    '3 attempts with exponential backoff from 500 ms': hooks('that answers 5xx, 408 or 429 is tried three times'),
    'a 4xx other than 408 or 429 is not retried': hooks(
      'that says no for good is not tried again; an operator delivers it later',
    ),
    'queue 1024; 4 workers; timeout default 10s': () => {
      const { webhookQueueDepth, webhookWorkers, webhookTimeoutMs, webhookAttempts, webhookBackoffMs } = limits.content;
      expect([webhookQueueDepth, webhookWorkers, webhookTimeoutMs]).toEqual([1024, 4, 10_000]);
      expect([webhookAttempts, webhookBackoffMs]).toEqual([3, 500]);
    },
  },
  Endpoints: {
    'administrators are told of apps and types under /content/-, and of deliveries, which they send again': {
      file: 'test/scenario/content-deliveries.test.ts',
      title: 'what a receiver refused is listed with its answer, and sent again under its id',
    },
    'asset routes live under /store/<name>/asset': assets('is stored, described, listed, downloaded'),
    'content folders: listing is unpaginated': assets('a tree of folders, listed whole unless pages are asked for'),
    'preview token minting answers 501 for an app with no preview secret': apps(
      'which callers may mint, what for, and 501 for an app without a secret',
    ),
  },
  Previews: {
    'a token names its app and is held to it': apps(
      'an expired one, one of another app, tenant or secret, and nonsense show nothing',
    ),
    'rotating the secret invalidates all earlier tokens': {
      file: 'test/actors/content/app/preview-token.test.ts',
      title: 'while a secret rotates both verify; afterwards the earlier one does not',
    },
  },
  Attacks: {
    'path traversal in names and paths': assets('a path that climbs meets nothing'),
    'svg and html are attachments with nosniff; content types that lie': assets(
      '%s is offered as a download, by its true name',
    ),
    '1-byte Range floods': assets('a flood of one-byte ranges is answered byte by byte'),
    'SSRF: decimal, octal, hexadecimal, IPv6, link-local and metadata addresses': outbound(
      'reach no address of the inside, however it is written: %s',
    ),
    'SSRF: DNS rebinding': outbound('go where their check has looked: a name that changes its mind gains nothing'),
    'SSRF: redirects': hooks('that redirects is not followed'),
    'webhooks to slow receivers': hooks(
      'that says nothing is given up after the timeout of its subscription, and holds up no other',
    ),
    'webhooks to huge receivers': hooks('that sends too much is not read'),
    'webhooks to the inside': hooks('inside the node’s own network is not called unless the platform file names it'),
    'expired, foreign and cross-app preview tokens': apps(
      'an expired one, one of another app, tenant or secret, and nonsense show nothing',
    ),
  },
  Commands: {
    'config list': async () =>
      expect((await skep('content config list')).out).toBe('bootstrap-dev\nbootstrap-full\nall\n'),
    'config generate <profile>; all requires -d': async () => {
      const dir = mkdtempSync(join(tmpdir(), 'skep-profiles-'));
      expect((await skep('content config generate all')).code).toBe(2);
      expect((await skep('content config generate nothing')).code).toBe(2);
      expect((await skep('content config generate bootstrap-dev')).out).toContain('defaultstoreaction: true');
      expect((await skep(`content config generate all -d ${dir}`)).code).toBe(0);
      expect(readdirSync(dir).toSorted()).toEqual(['bootstrap-dev.yaml', 'bootstrap-full.yaml']);
      rmSync(dir, { recursive: true });
    },
    'data bootstrap -f': places('skep content -f and its verbs read a file with the section at its root'),
    'serve with -f': places('skep content -f and its verbs read a file with the section at its root'),
  },
});
