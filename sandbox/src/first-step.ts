import type { SandboxControls } from './controls.ts';

/** Returns a first request for somebody new to this world, as a line for a shell. */
export function firstStep(
  sandbox: SandboxControls,
  url: string,
): { title: string; command: string } {
  const act = (action: string, body: object) =>
    `curl ${url}/sandbox/${action} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const { bots, users } = sandbox.snapshot();
  const [bot] = bots;
  const [user] = users;
  if (!bot) return { title: 'Make a bot:', command: act('bots/create', {}) };
  if (!user) return { title: 'Make a person:', command: act('users/create', {}) };
  return {
    title: `Let ${user.first_name} write to @${bot.username}:`,
    command: act('say', { user: user.username ?? user.id, chat: bot.username, text: 'Hello' }),
  };
}
