/** From which addresses a key counts. Every presented key is compared with a list, so that none can be told from another by the work. Pure. */
import { BlockList, isIP } from 'node:net';
import { limits } from '#config/limits.ts';

/** A range that no caller has (RFC 6666 §4: discard-only), for keys without a list. */
const NOWHERE = ['100::/64'] as const;

/** Lists by their text: a list is compiled at its first use. */
const compiled = new Map<string, BlockList>();

/** Whether a key with this list counts from the address; a key without a list counts from everywhere, also where the address is not known. */
export function countsFrom(ips: readonly string[] | undefined, address: string): boolean {
  const list = listOf(ips ?? NOWHERE);
  const family = isIP(address);
  const isListed = family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  return ips === undefined || isListed;
}

function listOf(ips: readonly string[]): BlockList {
  const text = ips.join(' ');
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const network of ips) add(list, network);
  if (compiled.size >= limits.people.keyListsMax) compiled.clear();
  compiled.set(text, list);
  return list;
}

function add(list: BlockList, network: string): void {
  const [address = '', bits] = network.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
}
