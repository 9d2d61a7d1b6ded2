import type { BusinessBotRights, BusinessConnection } from '@grammyjs/types';
import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { connectionOf } from '../world/accounts.ts';
import { connectionObject } from '../world/business.ts';
import type { BusinessConnectionRecord } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { Bot, Flag, Ref as RefField } from './fields.ts';
import { botRef, type Ref, userRef } from './refs.ts';

const businessRights = [
  'can_reply',
  'can_read_messages',
  'can_delete_outgoing_messages',
  'can_delete_all_messages',
] as const satisfies (keyof BusinessBotRights)[];

/** Returns the named rights, or all of them if none are named. */
function readRights(given: BusinessBotRights | undefined): BusinessBotRights {
  const rights: BusinessBotRights = {};
  for (const name of businessRights) if (!given || given[name]) rights[name] = true;
  return rights;
}

function notifyBot(world: World, connection: BusinessConnectionRecord): void {
  const bot = world.state.bots.get(connection.botId);
  if (!bot) return;
  const payload = () => connectionObject(world.state, connection);
  world.publish(bot, 'business_connection', payload, `user:${connection.userId}`);
  world.changed({ type: 'bot_changed', botId: bot.id });
}

function end(world: World, connection: BusinessConnectionRecord): void {
  connection.isEnabled = false;
  notifyBot(world, connection);
}

/** A person lets a bot answer on their behalf; calling it again for the same bot changes its rights. */
export function connectBusiness(
  world: World,
  who: Ref,
  botGiven: Ref,
  rightsGiven?: BusinessBotRights,
): BusinessConnection {
  const user = userRef(world, who);
  const bot = botRef(world, botGiven);
  const rights = readRights(rightsGiven);
  const known = connectionOf(world.state, user.id);
  if (known && known.botId !== bot.id) end(world, known);
  const connection: BusinessConnectionRecord =
    known?.botId === bot.id
      ? known
      : {
          id: world.secret(22),
          botId: bot.id,
          userId: user.id,
          date: world.now(),
          isEnabled: true,
          rights,
        };
  connection.rights = rights;
  world.state.connections ??= new Map();
  world.state.connections.set(connection.id, connection);
  notifyBot(world, connection);
  return connectionObject(world.state, connection);
}

export function disconnectBusiness(world: World, who: Ref): BusinessConnection {
  const user = userRef(world, who);
  const connection = connectionOf(world.state, user.id);
  if (!connection) throw new ControlError('no_business_bot', { user: user.first_name });
  end(world, connection);
  return connectionObject(world.state, connection);
}

const account = RefField('Whose account.');

export const businessActions = {
  'business/connect': action({
    summary: 'Connect a bot to a business account',
    description:
      'Also changes the rights of a connected bot. An account has one bot: a second one replaces the first. The bot receives messages, edits and deletions of the chats of that account.',
    fields: {
      user: account,
      bot: Bot(),
      rights: Type.Optional(
        Type.Object(
          {
            can_reply: Flag('Write and edit.'),
            can_read_messages: Flag('Mark as read.'),
            can_delete_outgoing_messages: Flag('Delete messages it sent.'),
            can_delete_all_messages: Flag('Delete any message.'),
          },
          { additionalProperties: false, description: 'Default: all of these.' },
        ),
      ),
    },
    run: ({ world }, { user, bot, rights }) =>
      connectBusiness(world, user, bot, rights as BusinessBotRights | undefined),
  }),
  'business/disconnect': action({
    summary: 'Disconnect a bot from a business account',
    fields: { user: account },
    run: ({ world }, { user }) => disconnectBusiness(world, user),
  }),
};
