import {
  action,
  type ControlAction,
  reading,
  integerField,
  optionalInteger,
  ref,
  textField,
} from './input.ts';

/** What people and bots say to each other in groups, unseen by everybody else. */
export const ephemeralActions: Readonly<Record<string, ControlAction>> = {
  ephemeral: reading('user chat', (sandbox, input) =>
    sandbox.unseenByOthers(ref(input, 'user'), ref(input, 'chat')),
  ),
  'ephemeral/say': action('user chat text reply_to', (sandbox, input) =>
    sandbox.sayUnseen(
      ref(input, 'user'),
      ref(input, 'chat'),
      textField(input, 'text'),
      optionalInteger(input, 'reply_to'),
    ),
  ),
  'ephemeral/press': action('user chat ephemeral_message_id button', (sandbox, input) =>
    sandbox.pressUnseen(
      ref(input, 'user'),
      ref(input, 'chat'),
      integerField(input, 'ephemeral_message_id'),
      textField(input, 'button'),
    ),
  ),
};
