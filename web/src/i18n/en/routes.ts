import type { ConditionType } from '../../../../src/core/routing/condition-types.ts';
import { counted } from './counted.ts';

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const media: Record<string, string> = {
  photo: 'a photo',
  video: 'a video',
  animation: 'an animation',
  sticker: 'a sticker',
  voice: 'a voice message',
  audio: 'an audio file',
  document: 'a document',
  video_note: 'a video note',
};

function anyMedia(value: string): string {
  const kinds = value.split(',').map((kind) => kind.trim());
  return either.format(kinds.filter(Boolean).map((kind) => media[kind] ?? kind));
}

export const routes = {
  title: 'Routes',
  lead: 'A route forwards messages received by a source bot through a target bot.',
  add: 'Add route',
  empty: 'No routes yet',
  emptyHint: 'Add a route to forward messages from one bot to a chat of another.',
  needBots: 'No bots yet',
  needBotsHint: 'Add a bot first. One bot is enough for a route.',
  graph: 'Route map',
  graphLabel: (count: number) =>
    `Map of ${counted(count, 'route')} between bots; the list below has the same routes`,
  receives: 'source',
  passesOn: 'target',
  ends: 'dropped',
  ofBot: (bot: string) => `Routes of ${bot}`,
  order: 'Checked from top to bottom.',
  orderByMeaning:
    'Checked from top to bottom; routes that match by meaning only if no other route matches.',
  up: 'Move up',
  down: 'Move down',
  enabled: 'Enabled',
  editTitle: 'Edit route',
  addTitle: 'New route',
  deleted: 'Route deleted',
  saved: 'Route saved',
  inWords: 'Summary',
  source: 'Source bot',
  condition: 'Condition',
  conditions: {
    all: 'every message',
    keyword: 'contains a keyword',
    command: 'is a command',
    regex: 'matches a pattern',
    media: 'has media',
    chat_id: 'from a chat',
    user_id: 'from a person',
    llm: 'matches by meaning',
  } satisfies Record<ConditionType, string>,
  short: { llm: 'by meaning', media: 'any media' },
  /** Labels of conditions with a value in one line. */
  values: {
    keyword: 'Keywords, separated by commas',
    command: 'Command, for example /help',
    regex: 'Pattern (RE2)',
    media: 'Media types, separated by commas; empty for any',
    chat_id: 'Chat ID',
    user_id: 'User ID',
  } satisfies Record<Exclude<ConditionType, 'all' | 'llm'>, string>,
  examples: 'Example messages, one per line',
  examplesHint:
    'Optional. The router compares messages with the description of the target bot and these examples.',
  examplesSample: 'Where is my refund?\nI was charged twice',
  meaningOff:
    'Turn on “Route by meaning” in the settings of the source bot, or this route never matches.',
  action: 'Action',
  actions: {
    forward: 'forward with the name of the author',
    copy: 'copy without the name of the author',
    drop: 'drop: skip later routes',
  },
  target: 'Target bot',
  targetChat: 'Target chat',
  targetChatHint: 'A chat the target bot is in.',
  targetChatsHidden:
    'Enter an ID. To list chats, turn on “Manage chats” in the settings of the target bot.',
  targetChatNeeded: 'Choose a target chat.',
  sameChat: 'same chat',
  warnings: {
    disabled: (bot: string) => `${bot} is disabled and sends nothing. Enable it first.`,
    echo: (bot: string) => `${bot} would send each message back to the chat it came from.`,
    sameChat: (bot: string) =>
      `Works only in private chats with people who started ${bot}, and in groups with ${bot} as a member.`,
    unknownChat: (bot: string) => `${bot} was not seen in this chat. Add it there first.`,
    unknownPerson: (bot: string) =>
      `${bot} has no chat with this person. Ask them to start it first.`,
  },
  chatExample: 'Name or ID',
  chatUnknown: 'Chat not found. Enter its ID.',
  noChatsYet: (bot: string) => `${bot} is in no chat yet.`,
  addToChat: (bot: string) =>
    `${bot} is in no chat yet. Add it to a group in Telegram, or let a person send it /start. The chat then appears in the list.`,
  makeGroup: 'Create practice group',
  groupMade: (group: string) => `Created ${group}`,
  returnPath: 'Return path',
  returnModes: {
    reply: 'replies go back to the author',
    latest: 'all answers go back; in a private chat, to the latest author',
    off: 'off',
  },
  sourceChat: 'Source chat',
  sourceChatHint: 'Leave empty for all chats.',
  note: 'Note',
  noteHint: 'Why this route exists.',
  words: {
    sentence: (bot: string, inChat: string, condition: string, action: string, back: string) =>
      `When ${bot} receives a message${inChat}${condition}, ${action}${back}`,
    inChat: (chat: string) => ` in chat ${chat}`,
    /** A list of words of which one is enough. */
    anyOf: (words: string[]) => either.format(words),
    conditions: {
      all: () => '',
      keyword: (value: string) => ` with the word ${value}`,
      command: (value: string) => ` with the command ${value}`,
      regex: (value: string) => ` that matches ${value}`,
      media: (value: string) => (value === '' ? ' with any media' : ` with ${anyMedia(value)}`),
      chat_id: (value: string) => ` from chat ${value}`,
      user_id: (value: string) => ` from person ${value}`,
      llm: () => ' that fits the target by meaning',
    } satisfies Record<ConditionType, (value: string) => string>,
    /** Shown while the value of the condition is empty. */
    noValue: ' that meets the condition',
    drop: 'it is dropped and later routes are skipped.',
    forward: (bot: string, chat: string) =>
      `${bot} forwards it, with the name of its author, ${chat}.`,
    copy: (bot: string, chat: string) => `${bot} sends a copy ${chat}.`,
    back: {
      latest: ' In a private chat, any answer goes back to the latest author.',
      off: ' Answers do not go back.',
    },
    named: (name: string) => `“${name}”`,
    sameChat: 'to the same chat',
    noChat: 'to a chat you choose',
    chat: (chat: string) => `to chat ${chat}`,
  },
  lastDay: (count: string) => `${count} in 24 h`,
  failing: 'failing',
  problems: 'Problems',
  thickness: 'Line width shows messages in the last 24 hours.',
  simulator: 'Route simulator',
  simulatorHint: 'See which route matches a message. Nothing is sent.',
  simulatorText: 'Message',
  simulatorExample: 'I would like a refund, please',
  simulate: 'Try',
};
