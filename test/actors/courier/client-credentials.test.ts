import { expect, test } from 'vitest';
import { AccessTokens } from '#actors/courier/client-credentials.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';

const CLIENT = { tokenUrl: 'https://id.example/token', clientId: 'me', clientSecret: 's', scope: '' };

function bench(answer: () => Response) {
  const clock = new SimulatedClock(0);
  const bodies: string[] = [];
  const tokens = new AccessTokens(
    CLIENT,
    async (_url, { body }) => {
      bodies.push(body as string);
      return answer();
    },
    clock,
  );
  return { clock, bodies, tokens };
}

test('a token is cached until 30 seconds before its end, and simultaneous requests share one answer', async () => {
  let no = 0;
  const { clock, bodies, tokens } = bench(() => Response.json({ access_token: `T${++no}`, expires_in: 100 }));
  expect(await Promise.all([tokens.get(), tokens.get()])).toEqual(['T1', 'T1']);
  clock.advance(69_999);
  expect(await tokens.get()).toBe('T1');
  clock.advance(1);
  expect(await tokens.get()).toBe('T2');
  tokens.forget();
  expect(await tokens.get()).toBe('T3');
  expect(bodies[0]).toBe('grant_type=client_credentials&client_id=me&client_secret=s');
});

test.each([
  ['a refusal', () => new Response('{}', { status: 401 }), 'answered 401'],
  ['no token', () => Response.json({}), 'no access_token'],
])('%s is told, and asked again', async (_what, answer, message) => {
  const { bodies, tokens } = bench(answer);
  await expect(tokens.get()).rejects.toThrow(message);
  await expect(tokens.get()).rejects.toThrow(message);
  expect(bodies).toHaveLength(2);
});
