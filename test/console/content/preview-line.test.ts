/** The line that shows a draft, as a shell reads it. */
import { expect, test } from 'vitest';
import { previewLine } from '#console/content/preview-line.ts';

const of = { at: 'http://127.0.0.1:8080', key: 'acme:atlas:dev:main', app: 'blog', type: 'blog.post', id: '01J' };

test('names the place, the language and the token', () => {
  expect(previewLine({ ...of, locale: 'de', token: 'v4.public.x_y' })).toBe(
    "curl 'http://127.0.0.1:8080/content/blog/blog.post/01J?locale=de&preview=v4.public.x_y' -H 'X-Customer: acme' -H 'X-Product: atlas' -H 'X-Env: dev' -H 'X-Tenant: main'",
  );
  expect(previewLine({ ...of, locale: null, token: 't' })).toContain('/01J?preview=t');
});
