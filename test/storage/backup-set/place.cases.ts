/** What every place does. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { PartMissing, setIdOf, type BackupPlace, type StoredPart } from '#storage/backup-set/place.ts';

const nameOf = (text: string): string => hash('sha256', text);

export async function stored(place: BackupPlace, text: string, name = nameOf(text)): Promise<string> {
  const upload = await place.begin();
  await upload.write(Buffer.from(text));
  await upload.publish(name);
  await upload.drop();
  return name;
}

async function partsOf(place: BackupPlace): Promise<StoredPart[]> {
  const found: StoredPart[] = [];
  for await (const part of place.parts()) found.push(part);
  return found;
}

export async function textOf(place: BackupPlace, part: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of place.read(part)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

export function placeCases(open: () => Promise<BackupPlace>): void {
  test('a part is there from its publishing on, whole, and until it is removed', async () => {
    const place = await open();
    const upload = await place.begin();
    await upload.write(Buffer.from('half '));
    expect(await partsOf(place)).toEqual([]);
    await upload.write(Buffer.from('whole'));
    const name = nameOf('half whole');
    await upload.publish(name);
    await upload.drop();
    expect(await place.sizeOf(name)).toBe(10);
    expect(await textOf(place, name)).toBe('half whole');
    const empty = await stored(place, '');
    expect(await place.sizeOf(empty)).toBe(0);
    expect(await textOf(place, empty)).toBe('');
    await stored(place, 'half whole');
    const names = (await partsOf(place)).map((part) => part.name);
    expect(names.toSorted()).toEqual([empty, name].toSorted());
    await place.removePart(name);
    await place.removePart(name);
    expect(await place.sizeOf(name)).toBeNull();
  });

  test('an upload that is dropped leaves nothing, and a part that is missing is said to be', async () => {
    const place = await open();
    const upload = await place.begin();
    await upload.write(Buffer.from('never'));
    await upload.drop();
    expect(await place.sizeOf(nameOf('never'))).toBeNull();
    await expect(textOf(place, nameOf('never'))).rejects.toThrow(PartMissing);
  });

  test('a part says when it was stored last', async () => {
    const place = await open();
    const before = Date.now() - 2000;
    const name = await stored(place, 'dated');
    const [part] = await partsOf(place);
    expect(part).toMatchObject({ name });
    expect(part!.storedMs).toBeGreaterThan(before);
  });

  test('sets are listed oldest first; one that is not there is null', async () => {
    const place = await open();
    const [late, early, middle] = [3000, 1000, 2000].map(setIdOf) as [string, string, string];
    for (const id of [late, early, middle]) await place.writeSet(id, `text of ${id}`);
    expect(await place.sets()).toEqual([early, middle, late]);
    expect(await place.readSet(middle)).toBe(`text of ${middle}`);
    await place.removeSet(middle);
    expect(await place.readSet(middle)).toBeNull();
    expect(await place.sets()).toEqual([early, late]);
  });

  test('chunks of the journal are listed in the order of their numbers, and are there whole until they are removed', async () => {
    const place = await open();
    const names = [999, 1000, 1001, 20_000].map((seq) => `${String(seq).padStart(10, '0')}-1764000000000`);
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
    for (const name of names.toReversed()) await place.writeChunk(name, bytes);
    expect(await place.chunks()).toEqual(names);
    expect((await place.readChunk(names[1]!))!.equals(bytes)).toBe(true);
    await place.removeChunk(names[1]!);
    await place.removeChunk(names[1]!);
    expect(await place.readChunk(names[1]!)).toBeNull();
    expect(await place.chunks()).toEqual([names[0], names[2], names[3]]);
  });
}
