import type {
  BotCommand,
  BotCommandScope,
  ChatAdministratorRights,
  MenuButton,
} from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { adminRights, type AdminRight, makeRights } from '../world/chats/rights.ts';
import type { Call, MethodTable } from './call.ts';
import { asNumber, asText, createParams } from './params.ts';
import { privateRoom, roomOf } from './target.ts';

function languageOf(call: Call): string {
  const language = call.params.text('language_code').trim().toLowerCase();
  if (language !== '' && !/^[a-z]{2}$/.test(language))
    throw badRequest('invalid language code specified');
  return language;
}

function scopeKey(call: Call): string {
  const given = call.params.json('scope', 'BotCommandScope') ?? { type: 'default' };
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest("can't parse BotCommandScope: BotCommandScope must be an Object");
  }
  const scope = given as BotCommandScope;
  const chat = (): number => {
    const room = roomOf({ ...call, params: createParams(given as Record<string, unknown>) });
    return room.type === 'private' ? room.userId : room.id;
  };
  switch (scope.type) {
    case 'default':
    case 'all_private_chats':
    case 'all_group_chats':
    case 'all_chat_administrators':
      return `${scope.type}|${languageOf(call)}`;
    case 'chat':
    case 'chat_administrators':
      return `${scope.type}:${chat()}|${languageOf(call)}`;
    case 'chat_member':
      return `${scope.type}:${chat()}:${asNumber(scope.user_id)}|${languageOf(call)}`;
    default:
      throw badRequest("can't parse BotCommandScope: Unsupported type specified");
  }
}

function setMyCommands(call: Call): true {
  const given = call.params.json('commands') ?? [];
  if (!Array.isArray(given)) throw badRequest('expected an Array of BotCommand');
  if (given.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  const commands = given.map((item: unknown): BotCommand => {
    if (item === null || typeof item !== 'object') {
      throw badRequest("can't parse BotCommand: expected an Object");
    }
    const { command, description, is_ephemeral } = item as Partial<BotCommand>;
    for (const name of ['command', 'description']) {
      if (!(name in item)) throw badRequest(`can't parse BotCommand: Can't find field "${name}"`);
    }
    const name = asText(command).replace(/^\//, '').toLowerCase();
    if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest('BOT_COMMAND_INVALID');
    const text = asText(description).trim();
    if (text === '') throw badRequest('command description must be non-empty');
    if (text.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
    return { command: name, description: text, ...(is_ephemeral === true && { is_ephemeral }) };
  });
  const key = scopeKey(call);
  if (commands.length > 0) call.bot.commands[key] = commands;
  else delete call.bot.commands[key];
  return true;
}

function deleteMyCommands(call: Call): true {
  delete call.bot.commands[scopeKey(call)];
  return true;
}

type Texts = 'names' | 'descriptions' | 'shortDescriptions';

const setText =
  (texts: Texts, field: string, most: number) =>
  (call: Call): true => {
    const language = languageOf(call);
    const value = call.params.text(field).trim();
    if (value.length > most) throw badRequest(`${field.replace('_', ' ')} is too long`);
    if (texts === 'names' && language === '' && value !== '') call.bot.first_name = value;
    if (value === '') delete call.bot[texts][language];
    else call.bot[texts][language] = value;
    call.world.changed({ type: 'bot_changed', botId: call.bot.id });
    return true;
  };

const getText =
  <F extends string>(texts: Texts, field: F) =>
  (call: Call): Record<F, string> => {
    const fallback = texts === 'names' ? call.bot.first_name : '';
    const own = call.bot[texts];
    const value = own[languageOf(call)] ?? own[''] ?? fallback;
    return { [field]: value } as Record<F, string>;
  };

/** The user of the menu button; empty for the default button. */
function menuKey(call: Call): string {
  if (!call.params.has('chat_id')) return '';
  const userId = call.params.integer('chat_id');
  if (userId <= 0) throw badRequest('invalid chat_id specified');
  return String(privateRoom(call, userId).userId);
}

function setChatMenuButton(call: Call): true {
  const button = (call.params.json('menu_button') ?? { type: 'default' }) as MenuButton;
  if (!['commands', 'web_app', 'default'].includes(button.type)) {
    throw badRequest("can't parse menu button: MenuButton has unsupported type");
  }
  call.bot.menuButtons[menuKey(call)] = button;
  return true;
}

function getChatMenuButton(call: Call): MenuButton {
  const { menuButtons } = call.bot;
  return menuButtons[menuKey(call)] ?? menuButtons[''] ?? { type: 'commands' };
}

const rightsKey = (call: Call): 'channels' | 'groups' =>
  call.params.flag('for_channels') ? 'channels' : 'groups';

function setDefaultRights(call: Call): true {
  const given = (call.params.json('rights') ?? {}) as Partial<Record<AdminRight, boolean>>;
  const key = rightsKey(call);
  const type = key === 'channels' ? 'channel' : 'supergroup';
  call.bot.defaultRights[key] = makeRights({ type }, (right) => given[right] === true);
  return true;
}

function getDefaultRights(call: Call): ChatAdministratorRights {
  const key = rightsKey(call);
  const type = key === 'channels' ? 'channel' : 'supergroup';
  return (
    call.bot.defaultRights[key] ?? makeRights({ type }, (right) => !adminRights.includes(right))
  );
}

export const settingsMethods: MethodTable = {
  setmycommands: setMyCommands,
  getmycommands: (call) => call.bot.commands[scopeKey(call)] ?? [],
  deletemycommands: deleteMyCommands,
  setmyname: setText('names', 'name', 64),
  getmyname: getText('names', 'name'),
  setmydescription: setText('descriptions', 'description', 512),
  getmydescription: getText('descriptions', 'description'),
  setmyshortdescription: setText('shortDescriptions', 'short_description', 120),
  getmyshortdescription: getText('shortDescriptions', 'short_description'),
  setchatmenubutton: setChatMenuButton,
  getchatmenubutton: getChatMenuButton,
  setmydefaultadministratorrights: setDefaultRights,
  getmydefaultadministratorrights: getDefaultRights,
};
