/*
 * Limits what a caller restricted to some bots learns about others when it asks how messages are
 * routed: the IDs its own routes name, and nothing else.
 */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { type Caller, maySeeBot } from '../../core/access/access.ts';
import type { ChoiceRecord } from './choose-target.ts';
import { type MatchRecord, matchReason } from './routing-decision.ts';
import { firstWarning, type SimulatedRule, type Simulation } from './simulate.ts';

const hiddenBot = 0;
const hiddenReason = matchReason(reason('hidden_bot'));
const notChosen = matchReason(reason('not_chosen_by_meaning'));

const unwarned = { warning: '', warning_detail: null };

interface ReasonFields {
  reason: string;
  reason_detail: Reason | null;
}

type Match = Omit<MatchRecord, 'intents' | 'target_connection'>;

export function hideInModel(caller: Caller, model: ChoiceRecord | null): ChoiceRecord | null {
  if (caller.botIds === null || model === null) return model;
  const candidates = model.candidates.filter((id) => maySeeBot(caller, id));
  return isHidden(caller, model)
    ? { ...model, candidates, target_bot_id: hiddenBot, ...hiddenReason }
    : { ...model, candidates };
}

/** The reason comes from the model's choice, which may quote the description of that bot. */
export function hideInReason(
  caller: Caller,
  fields: ReasonFields,
  model: ChoiceRecord | null,
): ReasonFields {
  return model !== null && isHidden(caller, model) ? hiddenReason : fields;
}

export function hideInMatch(caller: Caller, match: Match, model: ChoiceRecord | null): Match {
  if (maySeeBot(caller, match.target_bot_id)) return match;
  // A route of the caller names the bot itself; a choice by meaning also quotes its description.
  if (match.route_id !== 0) return model === null ? match : { ...match, ...hiddenReason };
  return { ...match, target_bot_id: hiddenBot, target_chat_id: 0, ...hiddenReason };
}

export function hideInSimulation(caller: Caller, simulation: Simulation): Simulation {
  if (caller.botIds === null) return simulation;
  const { model, reason: text, reason_detail, target_bot_id } = simulation;
  const fields = { reason: text, reason_detail };
  const rules = simulation.rules.map((rule) =>
    maySeeBot(caller, rule.target_bot_id) ? rule : hideInRule(rule),
  );
  if (model === null) {
    return { ...simulation, rules, ...firstWarning(rules) };
  }
  const isOther = isHidden(caller, model);
  return {
    ...simulation,
    rules,
    target_bot_id: isOther ? hiddenBot : target_bot_id,
    ...hideInReason(caller, fields, model),
    ...(isOther ? unwarned : {}),
    model: hideInModel(caller, model),
  };
}

/** A warning shows whom the other bot knows, and a reason may show that it is disabled. */
function hideInRule(rule: SimulatedRule): SimulatedRule {
  const tellsDisabled = rule.reason_detail?.code === 'route_target_disabled';
  return { ...rule, ...unwarned, ...(tellsDisabled ? notChosen : {}) };
}

function isHidden(caller: Caller, { target_bot_id }: ChoiceRecord): boolean {
  return target_bot_id !== null && target_bot_id !== hiddenBot && !maySeeBot(caller, target_bot_id);
}
