import { getMe } from '../world/people.ts';
import type { Call, MethodTable } from './call.ts';

const tenMinutesSeconds = 600;

/** Logs the bot out of Telegram's cloud: it can come back after ten minutes. */
function logOut(call: Call): true {
  call.transport.deleteWebhook(call.bot);
  delete call.bot.webhook;
  call.bot.loggedOutUntil = call.world.now() + tenMinutesSeconds;
  return true;
}

export const identityMethods: MethodTable = {
  getme: (call) => getMe(call.bot),
  logout: logOut,
  close: () => true,
};
