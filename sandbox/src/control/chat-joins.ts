import { type ControlAction, flag, ref } from './input.ts';

/** Who comes in, and who decides it. */
export const CHAT_JOIN_ACTIONS: Readonly<Record<string, ControlAction>> = {
  'chats/guard-bot': (sandbox, input) =>
    sandbox.setGuardBot(ref(input, 'by'), ref(input, 'chat'), {
      ...(input['bot'] !== undefined && { bot: ref(input, 'bot') }),
      inviteLinks: flag(input, 'invite_links', false),
    }),
  'chats/answer-request': (sandbox, input) =>
    sandbox.answerJoinRequest(
      ref(input, 'by'),
      ref(input, 'chat'),
      ref(input, 'user'),
      flag(input, 'approve', true),
    ),
  'chats/join-status': (sandbox, input) =>
    sandbox.joinStatus(ref(input, 'user'), ref(input, 'chat')),
  'chats/join-web-app': (sandbox, input) =>
    sandbox.openJoinWebApp(ref(input, 'user'), ref(input, 'chat')),
};
