import type { Messages } from './en.ts';
import { access } from './ru/access.ts';
import { bot, bots } from './ru/bots.ts';
import { common, live, look, nav, palette, shortcuts } from './ru/common.ts';
import { admins, chatInfo } from './ru/chat-info.ts';
import { entry, welcome } from './ru/entry.ts';
import { errors, fieldForms, fieldNames, refusals, severalProblems } from './ru/errors.ts';
import { phrases } from './ru/phrases.ts';
import { rights } from './ru/rights.ts';
import { routes } from './ru/routes.ts';
import { phones } from './ru/phones.ts';
import { chats } from './ru/chats.ts';
import { overview, settings } from './ru/overview.ts';
import { deliveries } from './ru/deliveries.ts';
import { people } from './ru/people.ts';
import { audit, statistics } from './ru/statistics.ts';
import { decisions, model } from './ru/routing.ts';

export const ru: Messages = {
  common,
  nav,
  live,
  look,
  palette,
  shortcuts,
  errors,
  refusals,
  severalProblems,
  fieldNames,
  fieldForms,
  phrases,
  rights,
  entry,
  welcome,
  bots,
  bot,
  access,
  routes,
  phones,
  chats,
  overview,
  settings,
  deliveries,
  people,
  chatInfo,
  admins,
  statistics,
  audit,
  decisions,
  model,
};
