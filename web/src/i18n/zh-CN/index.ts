import type { Translation } from '../messages.ts';
import { access } from './access.ts';
import { alerts } from './alerts.ts';
import { apps } from './apps.ts';
import { bot, bots } from './bots.ts';
import { common, live, look, nav, palette, shortcuts } from './common.ts';
import { admins, chatInfo } from './chat-info.ts';
import { entry, welcome } from './entry.ts';
import { errors, fieldForms, fieldNames, refusals, severalProblems } from './errors.ts';
import { reasons } from './reasons.ts';
import { rights } from './rights.ts';
import { routes } from './routes.ts';
import { sandbox } from './sandbox.ts';
import { chats } from './chats.ts';
import { overview, settings } from './overview.ts';
import { deliveries } from './deliveries.ts';
import { people } from './people.ts';
import { audit, statistics } from './statistics.ts';
import { decisions, model } from './routing.ts';

export const messages = {
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
  reasons,
  rights,
  entry,
  welcome,
  bots,
  bot,
  apps,
  alerts,
  access,
  routes,
  sandbox,
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
} satisfies Translation;
