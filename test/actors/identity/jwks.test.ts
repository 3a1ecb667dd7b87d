import { createPublicKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSigningKey } from '#actors/identity/create-signing-key.ts';
import { readSigningKeys } from '#actors/identity/store.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { World } from '#test/kit/identity-call.ts';

type Jwk = Record<string, string>;

const keysOf = async (world: World) => (await world.ask('jwks', { tenantNo: 0 })).body['keys'] as Jwk[];

describe('GET /.well-known/jwks.json', () => {
  test('publishes public keys that verify a token, without any secret part', async () => {
    const world = new World();
    const [jwk] = await keysOf(world);
    expect(Object.keys(jwk!)).toEqual(['kty', 'crv', 'x', 'kid', 'use', 'alg']);
    const { body } = await world.ask('exchangeKey', { authorization: world.key({ scope: ['*:*:*:*'] }) });
    const key = createPublicKey({ key: jwk!, format: 'jwk' });
    const kid = jwk!['kid']!;
    const verification = new Map([[kid, { kid, issuer: 'iam', key }]]);
    expect(verifyToken(body['token'] as string, { verification }, world.clock.now())).not.toBeNull();
  });

  test('is capped at 100 keys, newest first, and leaves foreign issuers out', async () => {
    const world = new World();
    const records = Array.from({ length: 103 }, () => {
      world.clock.advance(1000);
      return newSigningKey(world.context);
    });
    const foreign = { ...newSigningKey(world.context), issuer: 'other' };
    world.ring = ringOf([...records, foreign]);
    const kids = (await keysOf(world)).map(({ kid }) => kid);
    expect(kids).toEqual(
      records
        .map(({ kid }) => kid)
        .toReversed()
        .slice(0, 100),
    );
  });

  test('a key created in the control plane is read back into a ring', () => {
    const world = new World();
    const turn = world.store.begin();
    const record = createSigningKey(turn, { clock: world.clock, random: randomBytes });
    turn.commit();
    expect(readSigningKeys(world.store.begin())).toEqual([record]);
    expect(ringOf(readSigningKeys(world.store.begin())).signing?.kid).toBe(record.kid);
  });
});
