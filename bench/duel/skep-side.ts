/** Skep in each contest: one node, one tenant, credential and access rule checked on every request. */
import type { DataNode } from '#bench/kit/data-node.ts';
import { newPlace } from './rivals.ts';
import type { Running, Side } from './peer.ts';

/** An identifier that no key has: the whole check of the presented key, and no write. */
const NO_KEY = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ';

/** What differs from the defaults: no peer has an audit log, and the exchange is measured, not its bucket. */
export const SKEP_EXTRA = 'audit: { enabled: false }\nrates: { auth_token: off }';
export const SKEP_SETTINGS =
  'journal with fdatasync before every answer; bearer, access rule and tenant checked; audit off, bucket of the exchange off';

/** Tokens live 15 minutes: asked for anew before each contest. */
export async function skepSides(node: DataNode): Promise<Running['sides']> {
  const headers = await node.headers();
  const places = `${node.gateway}/data/rest/place`;
  const { Authorization: _, ...position } = headers;
  const json = { ...headers, 'Content-Type': 'application/json' };
  const read: Side = {
    url: `${places}/id/${await firstPlace(places, json)}`,
    request: { method: 'GET', headers, body: null },
    expect: 200,
  };
  return {
    read,
    create: { url: places, request: { method: 'POST', headers: json, body: newPlace }, expect: 201 },
    key: {
      url: `${node.gateway}/auth/apikey/${NO_KEY}`,
      request: { method: 'DELETE', headers: { ...position, Authorization: `ApiKey ${node.userKey}` }, body: null },
      expect: 200,
    },
    exchange: {
      url: `${node.gateway}/auth/token`,
      request: { method: 'POST', headers: { ...position, Authorization: `ApiKey ${node.serviceKey}` }, body: null },
      expect: 200,
    },
  };
}

async function firstPlace(places: string, headers: Record<string, string>): Promise<string> {
  const body = '{"name":"first","country":"CH","population":1}';
  const answer = await fetch(places, { method: 'POST', headers, body });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`Skep's create answered ${answer.status} ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { data: readonly { id: string }[] }).data[0]!.id;
}
