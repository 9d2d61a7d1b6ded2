import { access } from './en/access.ts';
import { bot, bots } from './en/bots.ts';
import { common, live, look, nav, palette, shortcuts } from './en/common.ts';
import { admins, chatInfo } from './en/chat-info.ts';
import { entry, welcome } from './en/entry.ts';
import { errors, fieldForms, fieldNames, phrases, refusals, severalProblems } from './en/errors.ts';
import { rights } from './en/rights.ts';
import { routes } from './en/routes.ts';
import { phones } from './en/phones.ts';
import { chats } from './en/chats.ts';
import { overview, settings } from './en/overview.ts';
import { deliveries } from './en/deliveries.ts';
import { people } from './en/people.ts';
import { audit, statistics } from './en/statistics.ts';
import { decisions, model } from './en/routing.ts';

export const en = {
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

/** What every language has to say; a missing or extra key does not compile. */
export type Messages = typeof en;
