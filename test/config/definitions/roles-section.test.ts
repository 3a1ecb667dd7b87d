import { describe, expect, test } from 'vitest';
import { productFile } from '#config/definitions/product-file.ts';
import { isOperatorRole, undeclaredRole } from '#config/definitions/roles-section.ts';
import { limits } from '#config/limits.ts';

const takes = (roles: unknown): boolean => productFile.safeParse({ name: 'atlas', roles }).success;

describe('roles of a product', () => {
  test('are words with a description', () => {
    expect(takes({ dispatcher: 'assigns tickets', 'night.shift-2': 'sees all' })).toBe(true);
    expect(takes({})).toBe(true);
  });

  test.each([
    ['superadmin', 'x'],
    ['impersonate-readonly', 'x'],
    ['platform_admin', 'x'],
    ['tenant_admin', 'x'],
    ['Dispatcher', 'x'],
    ['a b', 'x'],
    ['', 'x'],
    ['ok', ''],
    ['ok', 'x'.repeat(limits.people.roleDescriptionCharsMax + 1)],
  ])('%j: %j is refused', (name, description) => {
    expect(takes({ [name]: description })).toBe(false);
  });

  test('more than the bound are refused', () => {
    const many = Array.from({ length: limits.people.catalogueRolesMax + 1 }, (_, n) => [`role${n}`, 'x'] as const);
    expect(takes(Object.fromEntries(many))).toBe(false);
  });
});

test('a role that is not declared is named with the nearest one; without a catalogue every role is', () => {
  const roles = { dispatcher: 'assigns' };
  expect(undeclaredRole(roles, 'dispacher')).toContain('did you mean "dispatcher"?');
  expect(undeclaredRole(roles, 'tenant_amdin')).toContain('did you mean "tenant_admin"?');
  expect(undeclaredRole(roles, 'toString')).not.toBeNull();
  expect(undeclaredRole(roles, '__proto__')).not.toBeNull();
  expect([undeclaredRole(roles, 'dispatcher'), undeclaredRole(roles, 'tenant_user')]).toEqual([null, null]);
  expect(undeclaredRole(undefined, 'dispacher')).toBeNull();
  expect([isOperatorRole('SuperAdmin'), isOperatorRole('tenant_admin')]).toEqual([true, false]);
});
