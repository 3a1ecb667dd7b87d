/** `npm run bench:flame <title> <folder of profiles> <picture.svg>`: a flame picture of the threads that left CPU profiles in a folder. */
import { writeFileSync } from 'node:fs';
import { pictureOf } from '#bench/kit/flame.ts';
import { readProfiles } from '#bench/kit/profile.ts';

try {
  const [title, folder, picture] = process.argv.slice(2);
  if (picture === undefined) throw new Error('usage: npm run bench:flame <title> <folder of profiles> <picture.svg>');
  const threads = readProfiles(folder!);
  if (threads.length === 0)
    throw new Error(`${folder!} has no .cpuprofile: npm run bench <case> -- --profile makes some`);
  writeFileSync(picture, pictureOf(title!, threads));
} catch (error) {
  process.stderr.write(`bench:flame: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
