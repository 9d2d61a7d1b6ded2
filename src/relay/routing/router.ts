/*
 * Routes messages as a reader of the log. Decisions and their sends are committed together with the
 * reader's position, so an update acts once, however often it is read again.
 *
 * A message that cannot be decided yet is set aside, and later messages of other chats are decided
 * meanwhile. The position stays before the first message that is set aside.
 */
import { routingReader } from '../../core/log/reader-kinds.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { Step } from '../../store/engine.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import { dropTurn } from '../../store/messages/conversation-turns.ts';
import type { DesksOfBot } from '../../store/desks/desk-reads.ts';
import type { DeskRepository } from '../../store/desks/desks.ts';
import type { ChangedConversation } from '../../store/conversations/topic-states.ts';
import { enqueueIntent } from '../../store/outbox/outbox.ts';
import { type DecisionRepository, settleDecision } from '../../store/routing/decisions.ts';
import { closeQuestion, openQuestion } from '../../store/routing/model-questions.ts';
import type { RoutingRepository } from '../../store/routing/routing.ts';
import {
  type FollowDeps,
  followLog,
  type Handled,
  type Handler,
  readAgain,
} from '../log/follow-log.ts';
import { planDecisions } from './plan-decisions.ts';
import { keepRules, type RulesDeps } from './kept-rules.ts';
import type { DecideDeps, PlannedDecision } from './routing-decision.ts';

export interface RouterDeps extends DecideDeps, FollowDeps, RulesDeps {
  desks: DecideDeps['desks'] & Pick<DeskRepository, 'isStill' | 'ofBot'>;
  decisions: DecisionRepository;
  countTraffic: RoutingRepository['countTraffic'];
  /** Something was queued for these bots. */
  onQueued(botIds: ReadonlySet<number>): void;
  /** An update waits for the model. */
  onQuestion(botId: number): void;
  /** Who waits in a conversation, or whose it is, changed. */
  onChatState?(conversation: ChangedConversation): void;
  metrics?: Pick<RelayMetrics, 'decided'>;
}

export interface Router {
  /** The routes may have changed, or someone moved the reader. */
  reload(): void;
  stop(): Promise<void>;
}

/** The first batch is small, so that a node that crashes early still makes progress. */
const firstBatch = 10;
const maxBatch = 100;
const asideWaitMs = 100;
/** If more is set aside, nothing more is read until some of it is decided. */
const maxSetAside = 1_000;

export function startRouter(deps: RouterDeps, botId: number): Router {
  const { clock } = deps;
  const rules = keepRules(deps, botId);
  let album = { position: 0, since: 0 };

  function begin(position: number): Handler {
    /** Everything up to this position was read. */
    let front = position;
    let batch = firstBatch / 2;
    let aside: LogEntry[] = [];
    return {
      room() {
        batch = Math.min(batch * 2, maxBatch);
        return aside.length < maxSetAside ? batch : 0;
      },
      async handle(bot, fresh, isAll) {
        const entries = [...aside, ...fresh];
        if (entries.length === 0) return undefined;
        const current = await rules.current(bot);
        const plan = await planDecisions(
          { ...deps, waitingSince },
          current,
          bot,
          entries,
          isAll,
          aside.length,
        );
        const leftOver = aside.filter((entry) => entry.position > plan.upTo);
        aside = [...plan.aside, ...leftOver];
        front = Math.max(front, plan.upTo);
        const firstAside = aside[0];
        return {
          ...(plan.decisions.length > 0 ? toCommit(plan.decisions, current.desks) : {}),
          front,
          position: firstAside ? firstAside.position - 1 : front,
          waitMs: plan.waitMs || (aside.length > 0 && isAll ? asideWaitMs : 0),
        };
      },
    };
  }

  function waitingSince(position: number): number {
    if (album.position !== position) album = { position, since: clock.monotonic() };
    return album.since;
  }

  function toCommit(
    decisions: readonly PlannedDecision[],
    desks: DesksOfBot,
  ): Required<Pick<Handled, 'commit' | 'committed' | 'isAlone'>> {
    const queued = new Set<number>();
    const changed: ChangedConversation[] = [];
    let asks = false;
    let decided: string[] = [];
    return {
      // What the team does in a topic concerns the bot of its customer.
      isAlone: desks.forums.length > 0 && decisions.some(({ act }) => act !== undefined),
      *commit() {
        const now = clock.now();
        queued.clear();
        changed.length = 0;
        asks = false;
        decided = [];
        // A desk that was added meanwhile must miss nothing.
        if (!(yield* deps.desks.isStill(botId, desks))) {
          rules.forget();
          throw readAgain;
        }
        const added = yield* deps.decisions.add(
          decisions.map(({ decision }) => ({ ...decision, createdAt: now })),
        );
        for (const { act, changes, decision, intents, droppedBy, withdrawn } of decisions) {
          // An update that was decided before has its sends queued or sent already, and never
          // again.
          if (!added.has(decision.position)) continue;
          for (const position of withdrawn) yield* withdraw(position, decision.position);
          for (const intent of intents) {
            yield* enqueueIntent(intent, now);
            queued.add(intent.botId);
          }
          const forDesk = act ? yield* act(now, (chat) => changed.push(chat)) : 0;
          for (const id of [forDesk].flat()) if (id !== 0) queued.add(id);
          if (changes) changed.push(changes);
          if (decision.outcome === 'dropped') {
            const turn = yield* dropTurn(botId, decision.position);
            if (turn) changed.push(turn);
          }
          yield* deps.countTraffic(droppedBy, now);
          if (decision.outcome !== 'asking') {
            decided.push(decision.outcome);
            continue;
          }
          asks = true;
          yield* openQuestion(decision, now);
        }
      },
      committed() {
        if (queued.size > 0) deps.onQueued(queued);
        if (asks) deps.onQuestion(botId);
        for (const conversation of changed) deps.onChatState?.(conversation);
        for (const outcome of decided) deps.metrics?.decided(outcome);
      },
    };
  }

  function* withdraw(position: number, because: number): Step<void> {
    // The model answered meanwhile, while the plan assumed that the question was open.
    if (!(yield* closeQuestion({ botId, position }))) throw readAgain;
    yield* settleDecision(botId, position, {
      outcome: 'none',
      reason: reason('superseded', { position: because }),
      matched: '[]',
      model: '',
    });
  }

  const following = followLog(deps, { botId, reader: routingReader, onlyOwnRows: true }, begin);
  return {
    reload() {
      rules.changed();
      following.wake();
    },
    stop: following.stop,
  };
}
