import { expect, test } from 'vitest';
import { NO_FOLDER, readMediaSearch, tagsIn } from '#console/media/search.ts';

test('the address names the store and the open file, whatever was written there', () => {
  expect(readMediaSearch({ store: 'media', asset: ['01M', '02M'], more: '1' })).toEqual({
    store: 'media',
    asset: '01M',
  });
  expect(readMediaSearch({ folder: 'none' })).toEqual({ folder: NO_FOLDER });
  for (const search of [{}, { store: '', folder: '' }, { other: 'x' }]) expect(readMediaSearch(search)).toEqual({});
});

test('tags are parted by commas, each once', () => {
  expect(tagsIn(' bees, yellow,,bees ')).toEqual(['bees', 'yellow']);
  expect(tagsIn(' , ')).toEqual([]);
});
