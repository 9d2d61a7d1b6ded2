import { action, type ControlAction, integerField, optionalText, ref, textField } from './input.ts';

/** What else can be set up for a bot, or done to what it writes. */
export const botActions: Readonly<Record<string, ControlAction>> = {
  'bots/add-game': action('bot short_name title description', (sandbox, input) => {
    const title = optionalText(input, 'title');
    const description = optionalText(input, 'description');
    const game = sandbox.addGame(ref(input, 'bot'), {
      shortName: textField(input, 'short_name'),
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    });
    return { short_name: game.shortName, title: game.title, description: game.description };
  }),
  'bots/give-stars': action('bot stars', (sandbox, input) => ({
    stars: sandbox.giveStars(ref(input, 'bot'), integerField(input, 'stars')),
  })),
  'stop-draft': action('user bot', (sandbox, input) =>
    sandbox.stopDraft(ref(input, 'user'), ref(input, 'bot')),
  ),
};
