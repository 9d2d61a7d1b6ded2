import { counted } from './counted.ts';

export const chatInfo = {
  show: 'About this chat',
  hide: 'Hide details',
  about: (title: string) => `About ${title}`,
  id: 'ID',
  kind: 'Type',
  kinds: {
    private: 'private chat',
    group: 'group',
    supergroup: 'supergroup',
    channel: 'channel',
  },
  members: 'Members',
  storedMessages: 'Stored messages',
  botHere: 'Bot status',
  migratedTo: 'Migrated to',
  asked: 'Last refresh',
  refresh: 'Refresh from Telegram',
  refreshed: 'Chat refreshed',
  neverAsked: 'Refresh from Telegram to see the description, photo, members and rights.',
  rights: 'Bot rights',
  plainMember:
    'The bot is a member without admin rights. Make it an administrator in Telegram to moderate.',
  notThere: 'The bot is no longer in this chat.',
  has: 'has',
  lacks: 'lacks',
  pinned: 'Pinned messages',
  unpinAll: 'Unpin all',
  unpinAllTitle: (title: string) => `Unpin all messages in ${title}?`,
  unpinAllHint: 'This includes messages that are not stored here, and applies to everyone.',
  allUnpinned: 'Unpinned all messages',
  noPinned: 'No pinned messages known.',
  forget: 'Forget this chat',
  forgetHint: 'Deletes the stored data of this chat.',
  forgetAsk: (title: string) => `Forget ${title}?`,
  forgetMeans: [
    'Deletes the stored messages, media, warnings and statistics of this chat. This cannot be undone.',
    'Nothing changes in Telegram: the bot stays in the chat.',
    'Tags, notes and opt-outs from broadcasts stay. The update log and the outbox keep their entries until retention. The chat reappears, empty, with its next message.',
  ],
  forgetConfirm: 'Forget chat',
  forgotten: (title: string) => `Forgot ${title}`,
  warnings: 'Warnings',
  /** `then` is the effect of too many warnings, '' for none; `life` is '' for warnings that never expire. */
  warnRule: (threshold: number, then: string, life: string) => {
    const first =
      then === '' ? 'Warnings have no effect.' : `After ${counted(threshold, 'warning')}: ${then}.`;
    return `${first} ${life === '' ? 'Warnings never expire.' : `Warnings expire after ${life}.`}`;
  },
  warnActions: {
    none: 'nothing',
    mute: 'mute',
    kick: 'remove from the chat',
    ban: 'ban',
  },
  /** `span` is '' for an action without end. */
  warnTimed: (action: string, span: string) =>
    span === '' ? `${action} forever` : `${action} for ${span}`,
  warnThreshold: 'Warning limit',
  warnThresholdHint: '0 means no limit.',
  warnAction: 'Action at limit',
  warnActionTime: 'Duration',
  warnLife: 'Warnings expire after',
  warnSaved: 'Warning rule saved',
  change: 'Change',
  span: (seconds: number) => counted(...largestUnit(seconds)),
  forever: 'forever',
  never: 'never',
  thread: 'Reply thread',
  showThread: 'Show thread',
  hideThread: 'Close thread',
  threadAlone: 'No replies.',
  threadCount: (count: number) => counted(count, 'message'),
};

function largestUnit(seconds: number): [number, string] {
  if (seconds % 86_400 === 0) return [seconds / 86_400, 'day'];
  if (seconds % 3_600 === 0) return [seconds / 3_600, 'hour'];
  if (seconds % 60 === 0) return [seconds / 60, 'minute'];
  return [seconds, 'second'];
}

export const admins = {
  title: 'Administrators',
  none: 'No administrators.',
  owner: 'owner',
  thisBot: 'this bot',
  rights: (count: number) => counted(count, 'right'),
  notOurs: 'Appointed by someone else. Only they or the owner can change this.',
  add: 'Add administrator',
  who: 'Person',
  whoHint: 'Someone seen in this chat. Type a name or an ID.',
  nobody: 'No people match.',
  appoint: 'Make administrator',
  change: 'Change rights',
  changeTitle: 'Change title',
  demote: 'Remove rights',
  appointTitle: (name: string) => `Make ${name} an administrator`,
  changeOf: (name: string) => `Rights of ${name}`,
  rightsLabel: 'Rights',
  rightsHint: 'Replaces their current rights.',
  botLacks: 'The bot can only grant rights it has itself.',
  customTitle: 'Custom title',
  customTitleHint: 'Up to 16 characters, no emoji. Leave empty for none.',
  titleOf: (name: string) => `Title of ${name}`,
  appointed: (name: string) => `${name} is an administrator`,
  changed: (name: string) => `Changed rights of ${name}`,
  demoted: (name: string) => `${name} is no longer an administrator`,
  titled: (name: string) => `Changed title of ${name}`,
  cannot: 'The bot cannot add administrators here:',
};
