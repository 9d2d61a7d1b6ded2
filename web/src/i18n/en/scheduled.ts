import { counted } from './counted.ts';

export const scheduled = {
  title: 'Scheduled messages',
  count: (count: number) => counted(count, 'scheduled message'),
  heldCount: (count: number) => `${count} held`,
  sendLater: 'Send later',
  schedule: 'Schedule',
  when: 'Date and time',
  text: 'Text',
  change: 'Change',
  cancel: 'Cancel message',
  canceled: 'Scheduled message canceled.',
  added: (when: string) => `Scheduled for ${when}.`,
};
