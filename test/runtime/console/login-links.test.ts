import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { LoginLinks } from '#runtime/console/login-links.ts';
import { fc } from '#test/kit/property.ts';

const person = { login: 'ann@example.org', password: 'secret' };
const other = { login: 'bob@example.org', password: 'another' };
const HERE = 'acme:shop:dev:main';
const people = { [HERE]: person };

describe('the code of a link', () => {
  test('counts once', () => {
    const links = new LoginLinks(() => 0);
    const code = links.draw(people);
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(code, 'base64url')).toHaveLength(limits.console.linkBytes);
    expect(links.consume(code, HERE)).toBe(person);
    expect(links.consume(code, HERE)).toBeNull();
  });

  test('counts up to its end, and not at it', () => {
    let now = 0;
    const links = new LoginLinks(() => now);
    const [early, late] = [links.draw(people), links.draw(people)];
    now = limits.console.linkMs - 1;
    expect(links.consume(early, HERE)).toBe(person);
    now = limits.console.linkMs;
    expect(links.consume(late, HERE)).toBeNull();
  });

  test('counts once at each position that it has a person at, and nowhere else', () => {
    const links = new LoginLinks(() => 0);
    const code = links.draw({ [HERE]: person, 'acme:shop:dev:two': other });
    for (const position of ['acme:shop:dev:three', '', ':::', '__proto__', 'constructor'])
      expect(links.consume(code, position)).toBeNull();
    expect(links.consume(code, 'acme:shop:dev:two')).toBe(other);
    expect(links.consume(code, 'acme:shop:dev:two')).toBeNull();
    expect(links.consume(code, HERE)).toBe(person);
    expect(links.consume(code, HERE)).toBeNull();
  });

  test('makes room for newer ones', () => {
    const links = new LoginLinks(() => 0);
    const codes = Array.from({ length: limits.console.linksMax + 1 }, () => links.draw(people));
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.map((code) => links.consume(code, HERE) !== null)).toEqual([false, ...codes.slice(1).map(() => true)]);
  });
});

test('no other text is a code', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(42), (text, at) => {
      const links = new LoginLinks(() => 0);
      const code = links.draw(people);
      const near = `${code.slice(0, at)}${code[at] === 'A' ? 'B' : 'A'}${code.slice(at + 1)}`;
      // The last character has two bits that no byte needs: the hash is of the text, so they count, too.
      for (const another of [text, near, `${code}=`, code.slice(1)]) expect(links.consume(another, HERE)).toBeNull();
      expect(links.consume(code, HERE)).toBe(person);
    }),
  );
});
