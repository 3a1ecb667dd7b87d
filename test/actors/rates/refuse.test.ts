import { expect, test } from 'vitest';
import { compileProfile } from '#actors/rates/profile.ts';
import { renderRateRefusal } from '#actors/rates/refuse.ts';

test('the refusal has the stated body and headers, with whole seconds rounded up', () => {
  const profile = compileProfile('auth_apikey', { burst: 15, perSecond: 1 / 4 });
  const refusal = renderRateRefusal(profile, 3001);
  expect(refusal.status).toBe(429);
  expect(JSON.parse(refusal.body)).toEqual({ error: 'rate_limited', profile: 'auth_apikey', retry_after_seconds: 4 });
  expect(refusal.headers).toEqual({ 'Retry-After': '4', 'X-RateLimit-Limit': '15', 'X-RateLimit-Remaining': '0' });
});
