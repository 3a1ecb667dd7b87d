/** What a native part (ELF, 64 bits, little-endian) asks of the system and gives to it: its dynamic section (System V ABI, chapters 4 and 5). */
interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  /** Of a table of symbols: its table of names. */
  readonly link: number;
}

export interface ElfSymbols {
  /** Libraries that the loader brings in. */
  readonly needs: readonly string[];
  /** Symbols that others must have. */
  readonly asks: readonly string[];
  /** Symbols that others may use. */
  readonly gives: readonly string[];
}

const DYNAMIC = 6;
const DYNSYM = 11;
const NEEDED = 1n;
const SYMBOL_BYTES = 24;
const ENTRY_BYTES = 16;
const SECTION_BYTES = 64;

/** Throws where the bytes are no such file. */
export function readElf(bytes: Buffer): ElfSymbols {
  if (bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') throw new Error('this is no ELF file of 64 bits');
  const from = Number(bytes.readBigUInt64LE(0x28));
  const sections = Array.from({ length: bytes.readUInt16LE(0x3c) }, (_, no) =>
    sectionAt(bytes, from + no * SECTION_BYTES),
  );
  const found = (type: number): Section => {
    const section = sections.find((one) => one.type === type);
    if (section === undefined) throw new Error(`it has no section of type ${type}`);
    return section;
  };
  const nameIn = (table: Section, at: number): string => {
    const begin = table.offset + at;
    return bytes.toString('latin1', begin, bytes.indexOf(0, begin));
  };
  const [dynamic, symbols] = [found(DYNAMIC), found(DYNSYM)];
  const needs: string[] = [];
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += ENTRY_BYTES)
    if (bytes.readBigUInt64LE(at) === NEEDED)
      needs.push(nameIn(sections[dynamic.link]!, Number(bytes.readBigUInt64LE(at + 8))));
  const asks: string[] = [];
  const gives: string[] = [];
  for (let at = symbols.offset + SYMBOL_BYTES; at < symbols.offset + symbols.size; at += SYMBOL_BYTES)
    (bytes.readUInt16LE(at + 6) === 0 ? asks : gives).push(nameIn(sections[symbols.link]!, bytes.readUInt32LE(at)));
  return { needs: needs.toSorted(), asks: asks.toSorted(), gives: gives.toSorted() };
}

const sectionAt = (bytes: Buffer, at: number): Section => ({
  type: bytes.readUInt32LE(at + 4),
  offset: Number(bytes.readBigUInt64LE(at + 0x18)),
  size: Number(bytes.readBigUInt64LE(at + 0x20)),
  link: bytes.readUInt32LE(at + 0x28),
});
