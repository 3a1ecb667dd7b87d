/** URLs that carry their permission. Every one that was not signed as it stands is refused; those with other values are signed anew, too, and read behind it. */
import { createHmac } from 'node:crypto';
import type { Activation } from '#actors/host/activation.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must, unless } from './must.ts';

const PATH = /^\/data\/rest\/([^/]+)\/id\/([^/]+)\/signed$/;
const STATE = { sha256: 'ab'.repeat(32), name: 'a.png', content_type: 'image/png' };
const SIGNERS = new Set(['user.ann']);

export async function signedUrlTarget(): Promise<Target> {
  const { Call } = await import('#actors/host/call.ts');
  const { openUrl, signUrl } = await import('#actors/host/signed-url/signed-url.ts');
  const { SIGNERS: part } = await import('#actors/host/signed-url/signers.ts');
  const { wishOf } = await import('#actors/host/signed-url/wish.ts');
  const { ANONYMOUS } = await import('#actors/protocol/principal.ts');
  const { routes } = await import('#actors/data/routes.ts');
  const { World } = await import('#test/kit/identity-call.ts');
  const { parseJson } = await import('#actors/kit/json.ts');
  const secret = Buffer.alloc(32, 5);
  const world = new World();
  const tenant: Activation = { ...world.activation, context: { ...world.context, random: () => secret } };
  part.set(tenant, {
    nameOf: (_work, { subject }) => `user.${subject}`,
    find: (_work, name) => (SIGNERS.has(name) ? { ...ANONYMOUS, type: 'user', subject: 'ann' } : null),
  });
  const callOf = (params: string, query: string) => {
    const route = { no: 1, name: 'x', service: 'data', row: routes.read_signed, paramNames: ['entity', 'id'] };
    const call = new Call(0, route, 1, 'GET', params, query, '', 'r', '', '');
    call.tenant = tenant;
    return call;
  };
  const sign = (disposition: 'inline' | 'attachment'): string => {
    const call = callOf('scan\n7', '');
    const { url } = signUrl(
      call,
      'data',
      routes.read_signed,
      'user.ann',
      { part: 'scän', state: STATE },
      { lifeSeconds: 60, disposition },
    );
    call.commit();
    return url;
  };
  const good = new Set([sign('inline'), sign('attachment')]);
  const open = (url: string) => {
    const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
    const match = PATH.exec(path);
    return match === null ? 'invalid' : openUrl(callOf(`${match[1]}\n${match[2]}`, query), 'data');
  };
  /** With the signature that fits, as no caller has it. */
  const sealed = (url: string): string => {
    const cut = url.lastIndexOf('&signature=');
    const [path = '', query = ''] = (cut < 0 ? url : url.slice(0, cut)).split(/\?(.*)/s, 2);
    const text = ['skep.url.1', 'data', 'GET', tenant.position.key, path, query].join('\n');
    return `${path}?${query}&signature=${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  return {
    name: 'signed-url',
    form: 'text',
    covers: ['/actors/host/signed-url/', '/actors/host/call.ts'],
    seeds: [...good, '{"expires_in":60,"disposition":"inline"}', '{"expires_in":1e400,"as":1}'],
    words: [
      '&signature=',
      '&expires=',
      '&key=1',
      '&key=01',
      '&state=',
      '&part=',
      '&signer=user.',
      '&disposition=',
      'tenant=',
      '%2F',
      '%00',
      '=',
      '&',
      '?',
      'attachment',
      '999999999999999',
    ],
    bytesMax: 4096,
    stepsMax: linear(600, 20),
    run: (input) => {
      // What a request line can hold.
      const url = input.toString('latin1').replaceAll(/[^\x21-\x7e]|#/g, '');
      const opened = open(url);
      if (typeof opened === 'object') must(good.has(url), 'another URL opens');
      // Only a part that this node has encoded is ever signed.
      const behind = unless(
        (error) => error instanceof URIError,
        () => open(sealed(url)),
      );
      if (typeof behind === 'object') {
        must(behind.signer.subject === 'ann', 'another signer');
        must(/&expires=[^&]*[1-9]/.test(url), 'a URL without an end');
      }
      const body = parseJson(input.toString());
      const wish = body.ok ? wishOf(body.value, ['as']) : null;
      if (wish !== null && !('fault' in wish))
        must(Number.isSafeInteger(wish.lifeSeconds) && wish.lifeSeconds > 0, `${wish.lifeSeconds} seconds`);
    },
  };
}
