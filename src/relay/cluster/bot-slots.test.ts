import { describe, expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createLogger } from '../../logger.ts';
import type { HeldLease } from '../../store/cluster/leases.ts';
import { createSupervisor, type SupervisorOptions } from './supervisor.ts';

/** One node with one bot, whose database and platform answer when the test lets them. */
async function openNode() {
  const clock = createManualClock();
  const bot = { id: 1, token: '1:a', webhook_mode: true, username: 'x', disabled: false };
  const settings = { updated_at: 1 };
  const lease = { owner: 'one', epoch: 1 };
  /** The number of bots that the node should have. */
  const share = { bots: 1 };
  const written: string[] = [];
  /** The tokens with which webhooks were set. */
  const tokens: string[] = [];
  const held: Record<string, Promise<void> | undefined> = {};
  const raised = (): HeldLease[] => [{ botId: 1, epoch: ++lease.epoch }];
  const isMine = () => lease.owner === 'one';
  const release = async (_node: string, leases: readonly HeldLease[]) => {
    for (const { epoch } of leases) {
      if (!isMine() || epoch !== lease.epoch) continue;
      lease.owner = '';
      lease.epoch++;
    }
  };
  const options = {
    clock,
    random: () => 0.5,
    logger: createLogger({ level: 'silent' }),
    nodeId: 'one',
    singleNode: false,
    publicUrl: 'http://relay.example.com',
    baseUrlFor: () => 'http://127.0.0.1:9',
    bots: {
      async list() {
        const read = [{ ...bot, ...settings }];
        await held['list'];
        return read;
      },
      get: async () => ({ ...bot, ...settings }),
    },
    runtime: {
      async saveStates(rows: readonly { state: string; epoch: number }[]) {
        await held['saveStates'];
        for (const { state, epoch } of rows) if (epoch === lease.epoch) written.push(state);
      },
      saveActivity: async () => {},
      get: async () => [],
      async hookGuard() {
        await held['hookGuard'];
        return { secret: '', disabled: false };
      },
      makeHookSecret: async (_botId: number, fresh: string) => fresh,
      removeHookSecret: async () => {},
      registeredHook: async () => undefined,
      setRegisteredHook: async () => {},
    },
    leases: {
      enter: async () => {},
      async heartbeat() {
        await held['heartbeat'];
        return true;
      },
      leave: async () => {},
      newerSchema: async () => undefined,
      nodes: async () => [{ id: 'one', incarnation: 'x', heartbeats: clock.now() }],
      survey: async () => ({
        wanted: share.bots,
        mine: isMine() ? 1 : 0,
        checksum: isMine() ? lease.epoch : 0,
        free: isMine() ? 0 : 1,
      }),
      retake: async () => (isMine() ? raised() : []),
      async take() {
        lease.owner = 'one';
        return raised();
      },
      async takeOne() {
        lease.owner = 'one';
        return raised()[0];
      },
      held: async () => (isMine() ? [{ botId: 1, epoch: lease.epoch }] : []),
      changedBots: async () => [],
      release,
      releaseUnused: release,
    },
    log: { append: async () => ({ status: 'stored', entries: [] }) },
    telegram: {
      async call(token: string, method: string) {
        await held[method];
        if (method === 'setWebhook') tokens.push(token);
        return method === 'getWebhookInfo' ? { url: '' } : true;
      },
    },
    notifications: { publish() {}, subscribe() {}, onGap() {} },
  };
  const supervisor = createSupervisor(options as unknown as SupervisorOptions);
  let working = 0;
  supervisor.watch({
    gained: () => void working++,
    lost() {
      working = 0;
      return held['lost'];
    },
  });
  const shutdown = new AbortController();
  onTestFinished(() => shutdown.abort());
  await supervisor.start(shutdown.signal);
  await clock.advance(500);
  return {
    clock,
    supervisor,
    lease,
    share,
    written,
    tokens,
    isWorking: () => working > 0,
    change(patch: Partial<typeof bot>) {
      Object.assign(bot, patch);
      settings.updated_at++;
    },
    /** Keeps calls of that name waiting until the returned function is called. */
    hold(name: string) {
      const gate = Promise.withResolvers<void>();
      held[name] = gate.promise;
      return () => {
        held[name] = undefined;
        gate.resolve();
      };
    },
  };
}

type Node = Awaited<ReturnType<typeof openNode>>;

/** The node misses its heartbeats, lets its bots go and takes them again. */
async function loseAndTakeAgain({ clock, hold, supervisor }: Node): Promise<void> {
  const open = hold('heartbeat');
  await clock.advance(8_500);
  expect(supervisor.leaseEpochOf(1)).toBeUndefined();
  open();
  await clock.advance(1_500);
  expect(supervisor.leaseEpochOf(1)).toBeDefined();
}

it('a bot that is handed on while it is to be deleted is taken again and stopped', async () => {
  const node = await openNode();
  const open = node.hold('lost');
  node.share.bots = 0;
  await node.clock.advance(1_000);
  let isRetired = false;
  void node.supervisor.retire(1).then(() => (isRetired = true));
  await node.clock.advance(1_000);
  open();
  await node.clock.advance(1_000);
  expect(isRetired).toBe(true);
  expect(node.lease.owner).toBe('one');
  expect(node.isWorking()).toBe(false);
});

describe('while a node reads the bots that it took', () => {
  it('a change of their settings is applied once and stays', async () => {
    const node = await openNode();
    const open = node.hold('list');
    await loseAndTakeAgain(node);
    node.change({ token: '1:b' });
    await node.supervisor.apply(1);
    await node.clock.advance(1_000);
    open();
    await node.clock.advance(1_000);
    expect(node.tokens.at(-1)).toBe('1:b');
    expect((await node.supervisor.statusOf([1])).get(1)?.running).toBe(true);
  });

  it('a stop leaves nothing at work', async () => {
    const node = await openNode();
    const open = node.hold('list');
    await loseAndTakeAgain(node);
    const stopped = node.supervisor.stop(1_000);
    await node.clock.advance(100);
    open();
    await node.clock.advance(1_000);
    await stopped;
    expect(node.isWorking()).toBe(false);
  });
});

describe('a bot that is lost and taken again while the node', () => {
  it('hands it on stays held and at work', async () => {
    const node = await openNode();
    const open = node.hold('saveStates');
    node.change({ disabled: true });
    void node.supervisor.apply(1);
    await node.clock.advance(1_000);
    node.change({ disabled: false });
    await loseAndTakeAgain(node);
    const taken = { ...node.lease };
    open();
    await node.clock.advance(5_000);
    expect(node.lease).toEqual(taken);
    expect(node.supervisor.leaseEpochOf(1)).toBe(taken.epoch);
    expect(node.isWorking()).toBe(true);
  });

  it('stops it to delete it is stopped, and begun again should it stay', async () => {
    const node = await openNode();
    const open = node.hold('hookGuard');
    void node.supervisor.retire(1);
    await node.clock.advance(100);
    await loseAndTakeAgain(node);
    open();
    await node.clock.advance(5_000);
    expect(node.isWorking()).toBe(false);
    await node.clock.advance(300_000);
    expect(node.isWorking()).toBe(true);
    expect(node.written.at(-1)).toBe('webhook');
  });

  it('starts it anew shows its state', async () => {
    const node = await openNode();
    const open = node.hold('setWebhook');
    node.change({ token: '1:b' });
    void node.supervisor.apply(1);
    await node.clock.advance(100);
    node.change({ token: '1:c' });
    void node.supervisor.apply(1);
    await node.clock.advance(100);
    await loseAndTakeAgain(node);
    open();
    await node.clock.advance(30_000);
    expect(node.written.at(-1)).toBe('webhook');
    expect((await node.supervisor.statusOf([1])).get(1)?.running).toBe(true);
  });
});
