/** The handler of the route of captchas. A challenge is given to any caller and changes nothing: it is no event. */
import type { Handlers } from '#actors/host/service.ts';
import { giveChallenge } from './give-challenge.ts';
import type { captchaRoutes } from './routes.ts';

export const captchaHandlers: Handlers<typeof captchaRoutes> = { captchaChallenge: giveChallenge };
