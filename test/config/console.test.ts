/** `listeners.console` of the platform file: docs/contract/console.md §1. */
import { describe, expect, test } from 'vitest';
import { bad, good } from './load-text.ts';

const TLS = 'gateway: {tls: {cert: c.pem, key: k.pem}}';
const at = (bind: string, more = ''): string => `listeners: {console: {bind: "${bind}"}}\n${more}`;

describe('the listener of the console', () => {
  test('is closed unless the file opens it', () => {
    expect(good('').listeners.console).toBeNull();
    expect(good('listeners: {console: false}').listeners.console).toBeNull();
    expect(good('listeners: {console: true}').listeners.console).toBe('127.0.0.1:9097');
  });

  test('takes loopback and private addresses in clear text', () => {
    for (const bind of ['127.0.0.1:1', 'localhost:1', '[::1]:1', '10.1.2.3:1', '192.168.0.9:1', '[fd00::1]:1'])
      expect(good(at(bind)).listeners.console).toBe(bind);
  });

  test('takes any other address with a certificate alone', () => {
    for (const bind of ['0.0.0.0:1', '203.0.113.7:1', 'ops.example.org:1', '[2001:db8::1]:1']) {
      expect(bad(at(bind))).toEqual([expect.stringContaining(`the console would listen on ${bind} in clear text`)]);
      expect(good(at(bind, TLS)).listeners.console).toBe(bind);
    }
  });

  test('has the port behind all others of SKEP_PORT_BASE', () => {
    const env = { SKEP_PORT_BASE: '20000' };
    expect(good('listeners: {console: true}', { env }).listeners.console).toBe('127.0.0.1:20010');
  });
});

describe('people of tenants', () => {
  const tenants = (text: string) => good(text).console.tenants;

  test('log in where it listens on loopback alone, unless the file says otherwise', () => {
    expect(tenants('')).toBe(false);
    expect(tenants('listeners: {console: true}')).toBe(true);
    for (const bind of ['127.0.0.1:1', 'localhost:1', '[::1]:1']) expect(tenants(at(bind))).toBe(true);
    for (const bind of ['10.1.2.3:1', '[fd00::1]:1', '0.0.0.0:1', 'ops.example.org:1'])
      expect(tenants(at(bind, TLS))).toBe(false);
    expect(tenants('listeners: {console: {tenants: false}}')).toBe(false);
    expect(tenants('listeners: {console: {bind: "10.1.2.3:1", tenants: true}}')).toBe(true);
  });

  test('a setting that is neither is refused, and only the console has it', () => {
    expect(bad('listeners: {console: {tenants: some}}')).not.toEqual([]);
    expect(bad('listeners: {data: {tenants: true}}')).not.toEqual([]);
  });
});
