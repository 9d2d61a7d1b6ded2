/** The lists of conversations on the Chats page, and what people do there. */
export const inbox = {
  label: 'Conversations',
  views: { waiting: 'Waiting', mine: 'Mine', all: 'All' },
  longest: 'Longest wait:',
  filters: 'Filter',
  noFilters: 'Remove filter',
  tag: 'Tag',
  onlyTopic: 'Only this topic in the list',
  anyTopic: 'Show every topic',
  assignee: 'Assignee',
  nobody: 'Nobody',
  me: 'Me',
  unread: 'Waiting, unread',
  empty: 'Nobody waits here',
  emptyHint: 'Conversations appear here when people write.',
  emptyMine: 'You have no conversations',
  emptyMineHint: 'Assign one to yourself to see it here.',
  acts: { take: 'Assign to me', snooze: 'Snooze for an hour', done: 'Mark as done' },
  writing: (names: string) => `${names} is writing…`,
  taken: (name: string) => `${name} has this conversation.`,
  backendDown: 'The backend of this bot is down, so messages wait. You can answer here.',
  nextChat: 'Next or previous chat or row',
  answer: 'Write an answer',
  ofChats: (number: string) => `${number} waiting`,
  ofAlerts: (number: string) => `${number} open`,
};

/** Notifications of the browser about what needs somebody. */
export const notifications = {
  title: 'Notifications',
  hint: 'This browser tells you while you look elsewhere. Keep a tab of the web UI open.',
  denied: 'Notifications of this site are blocked. Allow them in the settings of the browser.',
  missing: 'This browser shows no notifications here. Open the web UI over HTTPS.',
  yours: 'One of your conversations waits',
  kinds: {
    critical: 'Critical alerts',
    alerts: 'Other alerts',
    waiting: 'Waiting conversations',
    mine: 'My conversations',
  },
  kindHints: {
    critical: 'Such as a backend that is down.',
    alerts: 'Warnings and infos.',
    waiting: 'When another person waits for an answer.',
    mine: 'When a conversation that you have waits for an answer.',
  },
};
