/** The state of a conversation and who has it. */
export const conversation = {
  label: 'State and assignee',
  states: {
    waiting: 'Waiting',
    snoozed: 'Snoozed',
    open: 'Open',
    done: 'Done',
  },
  markDone: 'Mark as done',
  markAnswered: 'Mark as answered',
  reopen: 'Reopen',
  snoozeHour: 'Snooze for an hour',
  snoozeTomorrow: 'Snooze until tomorrow, 9:00',
  endSnooze: 'End snooze',
  assignMe: 'Assign to me',
  assignTo: (name: string) => `Assign to ${name}`,
  unassign: 'Unassign',
  takeAsk: (name: string) => `Take the conversation from ${name}?`,
  takeConfirm: 'Take it',
  takeMeans: 'Both of you might answer. Ask first if you are not sure.',
};
