import { answerClaim } from '../../core/apps/claims.ts';
import type { Question } from '../../core/questions/question.ts';
import type { Store } from '../../store/store.ts';
import type { Background } from '../async/background.ts';
import type { RelayEvents } from '../events/relay-events.ts';

/** Tells at once what appends of this node have answered; what they queued is sent. */
export function watchAnswers(deps: {
  events: Pick<RelayEvents, 'on'>;
  store: Pick<Store, 'questions'>;
  background: Background;
  onEnded(question: Question): void;
  onQueued(botIds: ReadonlySet<number>): void;
  onError(error: unknown): void;
}): void {
  deps.events.on('stored', (botId, entries) => {
    const claimed = entries.filter(({ claimedBy }) => claimedBy === answerClaim);
    if (claimed.length === 0) return;
    deps.onQueued(new Set([botId]));
    const positions = claimed.map(({ position }) => position);
    deps.background.run(async () => {
      const answered = await deps.store.questions.answeredAt(botId, positions);
      for (const question of answered) deps.onEnded(question);
    }, deps.onError);
  });
}
