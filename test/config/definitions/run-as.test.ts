import { describe, expect, test } from 'vitest';
import { runAsFault } from '#config/definitions/run-as.ts';

const catalogue = { dispatcher: 'assigns tickets', admin: 'a name that administrators have' };

describe('a role that something runs as', () => {
  test('is one of the catalogue', () => {
    expect(runAsFault('dispatcher', catalogue)).toBeNull();
    expect(runAsFault('dispacher', catalogue)).toMatchObject({ mend: 'did you mean "dispatcher"?' });
    expect(runAsFault('dispatcher')).toMatchObject({ mend: 'declare it under `roles` of product.yaml' });
  });

  test.each([
    'superadmin',
    'SuperAdmin',
    'admin',
    'Admin',
    'tenant_admin',
    'platform_admin',
    'internal',
    'impersonate',
  ])('is never %s, whatever the catalogue says', (role) => {
    expect(runAsFault(role, { ...catalogue, [role]: 'x' })?.message).toBe(`nothing runs as "${role}"`);
  });

  test.each(['tenant_user', 'tenant_viewer', '', 'constructor'])(
    'is not %j, which the product does not declare',
    (role) => expect(runAsFault(role, catalogue)).not.toBeNull(),
  );
});
