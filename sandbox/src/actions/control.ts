import type { ControlAnswers } from '../answers.ts';
import { ControlError } from '../api-error.ts';
import type { ControlAction, SandboxParts } from './action.ts';
import { botActions } from './bots.ts';
import { businessActions } from './business.ts';
import { chatJoinActions } from './chat-joins.ts';
import { checkInput, type ControlInput } from './check-input.ts';
import { ephemeralActions } from './ephemeral.ts';
import { faultActions } from './faults.ts';
import { memberActions, newChatActions } from './groups.ts';
import { inlineActions } from './inline.ts';
import { mediaActions } from './media.ts';
import { paymentActions } from './pay.ts';
import { peopleActions } from './people.ts';
import { pressActions } from './press.ts';
import { reactActions } from './react.ts';
import { showActions } from './show.ts';
import { talkActions } from './talk.ts';
import { timeActions } from './time.ts';
import { topicActions } from './topics.ts';

/** The responses that clients read have the declared types. */
type Answering = { [Name in keyof ControlAnswers]: ControlAction<ControlAnswers[Name]> };

/** All actions on the world for pages, tests and scripts, by name, in the order of the documents. */
export const controlActions: Readonly<Record<string, ControlAction>> = {
  ...showActions,
  ...botActions,
  ...peopleActions,
  ...businessActions,
  ...newChatActions,
  ...chatJoinActions,
  ...memberActions,
  ...topicActions,
  ...talkActions,
  ...mediaActions,
  ...pressActions,
  ...reactActions,
  ...inlineActions,
  ...paymentActions,
  ...ephemeralActions,
  ...faultActions,
  ...timeActions,
} satisfies Answering;

export function runAction(sandbox: SandboxParts, name: string, input: ControlInput): unknown {
  const found = Object.hasOwn(controlActions, name) ? controlActions[name] : undefined;
  if (!found) throw new ControlError('no_such_action', { action: name });
  return found.run(sandbox, checkInput(name, found.fields, input) as never);
}
