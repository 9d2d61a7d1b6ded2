import { action, type ControlAction, reading, flag, ref } from './input.ts';

/** Who comes in, and who decides it. */
export const chatJoinActions: Readonly<Record<string, ControlAction>> = {
  'chats/guard-bot': action('chat by bot invite_links', (sandbox, input) =>
    sandbox.setGuardBot(ref(input, 'by'), ref(input, 'chat'), {
      ...(input['bot'] !== undefined && { bot: ref(input, 'bot') }),
      inviteLinks: flag(input, 'invite_links', false),
    }),
  ),
  'chats/answer-request': action('user chat by approve', (sandbox, input) =>
    sandbox.answerJoinRequest(
      ref(input, 'by'),
      ref(input, 'chat'),
      ref(input, 'user'),
      flag(input, 'approve', true),
    ),
  ),
  'chats/join-status': reading('user chat', (sandbox, input) =>
    sandbox.joinStatus(ref(input, 'user'), ref(input, 'chat')),
  ),
  'chats/join-web-app': action('user chat', (sandbox, input) =>
    sandbox.openJoinWebApp(ref(input, 'user'), ref(input, 'chat')),
  ),
};
