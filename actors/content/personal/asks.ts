/** What the node itself asks of content about one person (topic `actor.ask`). Never reachable over HTTP. */
import { eraseAssets } from './erase-assets.ts';
import { assetsOfPerson } from './assets-of-person.ts';

export const personAsks = { 'person.rows': assetsOfPerson, 'person.erase': eraseAssets };
