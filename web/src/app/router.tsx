import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { botsQuery } from '../api/bots.ts';
import { openAlertsQuery } from '../api/alerts.ts';
import { sessionQuery } from '../api/session.ts';
import { liveMetricsQuery } from '../api/live-metrics.ts';
import { allows } from '../shared/allows.ts';
import { asBotTab, type BotTab } from '../pages/bots/bot-tabs.ts';
import {
  type ChatSearch,
  listParams,
  type ListSearch,
  listSearchOf,
  readChatSearch,
} from '../pages/chats/chat-search.ts';
import { PendingPage } from './pending-page.tsx';
import { queryClient } from './query-client.ts';
import { BrokenPage, NotFoundPage, Root } from './root.tsx';
import { Frame } from './shell/frame.tsx';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Root,
  notFoundComponent: NotFoundPage,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string } => textOf(search, 'next'),
  component: lazyRouteComponent(() => import('../pages/entry/sign-in-page.tsx'), 'SignInPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: (search): { token?: string } => textOf(search, 'token'),
  component: lazyRouteComponent(() => import('../pages/entry/setup-page.tsx'), 'SetupPage'),
});

/** Routes below this one need a signed-in user. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session) return;
    const next = location.href === '/' ? {} : { next: location.href };
    throw redirect({ to: '/sign-in', search: next });
  },
  component: Frame,
});

const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  beforeLoad: async ({ context }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session && !allows(session, { area: 'bots', scope: 'read' })) {
      throw redirect({ to: '/chats', replace: true });
    }
  },
  // Prefetch the data before the page is drawn.
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(botsQuery);
    void context.queryClient.prefetchQuery(openAlertsQuery);
    void context.queryClient.prefetchQuery(liveMetricsQuery);
  },
  // Most visits start here: first.js preloads this page.
  component: lazyRouteComponent(
    () => import('../pages/overview/overview-page.tsx'),
    'OverviewPage',
  ),
  staticData: {
    nav: {
      icon: 'overview',
      letter: 'o',
      title: ({ nav }) => nav.overview,
      group: 'groupMonitor',
      area: 'bots',
      scope: 'read',
    },
  },
});

const alerts = createRoute({
  getParentRoute: () => frame,
  path: '/alerts',
  validateSearch: (search): { add?: boolean; alert?: string; tab?: 'channels' } => ({
    ...textOf(search, 'alert'),
    ...(search['add'] === true ? { add: true } : {}),
    ...(search['tab'] === 'channels' ? { tab: 'channels' } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/alerts/alerts-page.tsx'), 'AlertsPage'),
  staticData: {
    nav: {
      icon: 'bell',
      letter: 'l',
      title: ({ nav }) => nav.alerts,
      group: 'groupMonitor',
      area: 'bots',
      scope: 'read',
    },
  },
});

const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  validateSearch: (search): { part?: string } => textOf(search, 'part'),
  component: lazyRouteComponent(
    () => import('../pages/settings/settings-page.tsx'),
    'SettingsPage',
  ),
  staticData: {
    nav: {
      icon: 'gear',
      letter: 's',
      title: ({ nav }) => nav.settings,
      group: 'groupAdmin',
      area: 'account',
      scope: 'read',
    },
  },
});

const welcome = createRoute({
  getParentRoute: () => frame,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/entry/welcome-page.tsx'), 'WelcomePage'),
});

const bots = createRoute({
  getParentRoute: () => frame,
  path: '/bots',
  validateSearch: (search): { add?: boolean } => (search['add'] === true ? { add: true } : {}),
  component: lazyRouteComponent(() => import('../pages/bots/bots-page.tsx'), 'BotsPage'),
  staticData: {
    nav: {
      icon: 'bot',
      letter: 'b',
      title: ({ nav }) => nav.bots,
      group: 'groupConfigure',
      area: 'bots',
      scope: 'read',
    },
  },
});

const bot = createRoute({
  getParentRoute: () => frame,
  path: '/bots/$botId',
  validateSearch: (search): { tab?: BotTab; app?: string; update?: number } => {
    const tab = asBotTab(search['tab']);
    return { ...(tab ? { tab } : {}), ...textOf(search, 'app'), ...numberOf(search, 'update') };
  },
  component: lazyRouteComponent(() => import('../pages/bots/bot-page.tsx'), 'BotPage'),
});

const routes = createRoute({
  getParentRoute: () => frame,
  path: '/routes',
  validateSearch: (search): { route?: number; add?: boolean } => ({
    ...numberOf(search, 'route'),
    ...(search['add'] === true ? { add: true } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/routes/routes-page.tsx'), 'RoutesPage'),
  staticData: {
    nav: {
      icon: 'route',
      letter: 'r',
      title: ({ nav }) => nav.routes,
      group: 'groupConfigure',
      area: 'bots',
      scope: 'read',
    },
  },
});

const desks = createRoute({
  getParentRoute: () => frame,
  path: '/desks',
  validateSearch: (search): { desk?: number } => numberOf(search, 'desk'),
  component: lazyRouteComponent(() => import('../pages/routes/desks/desks-page.tsx'), 'DesksPage'),
  staticData: {
    nav: {
      icon: 'group',
      letter: 'd',
      title: ({ nav }) => nav.desks,
      group: 'groupConfigure',
      area: 'bots',
      scope: 'read',
    },
  },
});

const phones = createRoute({
  getParentRoute: () => frame,
  path: '/phones',
  component: lazyRouteComponent(() => import('../pages/sandbox/sandbox-page.tsx'), 'SandboxPage'),
  staticData: {
    nav: {
      icon: 'phone',
      letter: 'p',
      title: ({ nav }) => nav.sandbox,
      group: 'groupConfigure',
      area: 'bots',
      scope: 'manage',
      everyBot: true,
    },
  },
});

const chatsPage = lazyRouteComponent(() => import('../pages/chats/chats-page.tsx'), 'ChatsPage');

const chats = createRoute({
  getParentRoute: () => frame,
  path: '/chats',
  validateSearch: (search): ListSearch => listSearchOf(readChatSearch(search)),
  component: chatsPage,
  staticData: {
    nav: {
      icon: 'chats',
      letter: 'c',
      title: ({ nav }) => nav.chats,
      group: 'groupMonitor',
      area: 'chats',
      scope: 'read',
    },
  },
});

const keepList = retainSearchParams<ChatSearch>([...listParams]);

const chat = createRoute({
  getParentRoute: () => frame,
  path: '/chats/$botId/$chatId',
  validateSearch: readChatSearch,
  search: {
    middlewares: [
      // A link to a chat keeps the list as it is; on other pages such parameters mean other things.
      (context) =>
        window.location.pathname.startsWith('/chats')
          ? keepList(context)
          : context.next(context.search),
    ],
  },
  component: chatsPage,
});

const broadcasts = createRoute({
  getParentRoute: () => frame,
  path: '/broadcasts',
  component: lazyRouteComponent(
    () => import('../pages/broadcasts/broadcasts-page.tsx'),
    'BroadcastsPage',
  ),
  staticData: {
    nav: {
      icon: 'send',
      letter: 'm',
      title: ({ nav }) => nav.broadcasts,
      group: 'groupConfigure',
      area: 'bots',
      scope: 'read',
    },
  },
});

const statistics = createRoute({
  getParentRoute: () => frame,
  path: '/statistics',
  validateSearch: (search): { bot?: number; chat?: number; topic?: number; days?: number } => ({
    ...numberOf(search, 'bot'),
    ...numberOf(search, 'chat'),
    ...numberOf(search, 'topic'),
    ...numberOf(search, 'days'),
  }),
  component: lazyRouteComponent(
    () => import('../pages/statistics/statistics-page.tsx'),
    'StatisticsPage',
  ),
  staticData: {
    nav: {
      icon: 'chart',
      letter: 't',
      title: ({ nav }) => nav.statistics,
      group: 'groupMonitor',
      area: 'bots',
      scope: 'read',
    },
  },
});

const audit = createRoute({
  getParentRoute: () => frame,
  path: '/audit',
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
  staticData: {
    nav: {
      icon: 'ledger',
      letter: 'a',
      title: ({ nav }) => nav.audit,
      group: 'groupAdmin',
      area: 'service',
      scope: 'admin',
    },
  },
});

const access = createRoute({
  getParentRoute: () => frame,
  path: '/access',
  validateSearch: ({ add }): { add?: 'key' | 'user' } =>
    add === 'key' || add === 'user' ? { add } : {},
  component: lazyRouteComponent(() => import('../pages/access/access-page.tsx'), 'AccessPage'),
  staticData: {
    nav: {
      icon: 'key',
      letter: 'k',
      title: ({ nav }) => nav.access,
      group: 'groupAdmin',
      area: 'service',
      scope: 'admin',
    },
  },
});

function textOf<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [key in Name]?: string } {
  const value = search[name];
  return typeof value === 'string' ? ({ [name]: value } as { [key in Name]?: string }) : {};
}

function numberOf<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [key in Name]?: number } {
  const value = search[name];
  return Number.isSafeInteger(value) ? ({ [name]: value } as { [key in Name]?: number }) : {};
}

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    setup,
    // The routes are in the order of the navigation.
    frame.addChildren([
      home,
      alerts,
      chats,
      chat,
      statistics,
      bots,
      bot,
      routes,
      desks,
      broadcasts,
      phones,
      access,
      audit,
      settings,
      welcome,
    ]),
  ]),
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPendingComponent: PendingPage,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
