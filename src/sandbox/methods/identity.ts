import { getMe } from '../world/people.ts';
import { type Call, Described, type MethodTable } from './call.ts';

const TEN_MINUTES_SECONDS = 600;

function logOut(call: Call): unknown {
  call.transport.deleteWebhook(call.bot);
  call.bot.loggedOutUntil = call.world.now() + TEN_MINUTES_SECONDS;
  return true;
}

export const identityMethods: MethodTable = {
  getme: (call) => getMe(call.bot),
  logout: logOut,
  close: () => true,
};

export const answered = (result: unknown, description: string): Described =>
  new Described(result, description);
