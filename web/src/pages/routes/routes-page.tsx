import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { desksQuery } from '../../api/desks.ts';
import { routesQuery } from '../../api/routes.ts';
import { type Graph, graphQuery } from '../../api/routing.ts';
import type { Bot, Route } from '../../api/client/types.ts';
import { useMay, useMayAddBots } from '../../shared/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { lazyDialog, lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import decisionCss from './decisions.module.css';
import { LlmSettings } from './llm-settings.tsx';
import { RouteGraph } from './route-graph.tsx';
import { RouteList } from './route-list.tsx';
import type { RouteNames } from './route-names.ts';
import css from './routes.module.css';
import { useRouteNames } from './use-route-names.ts';
import { LinkButton } from '../../ui/link-button.tsx';

const rows = <RowsSkeleton rows={4} height={60} />;
const Simulator = lazyPart(async () => (await import('./simulator.tsx')).Simulator, rows);
const Decisions = lazyPart(async () => (await import('./decisions.tsx')).Decisions, rows);
const RouteEditor = lazyDialog(async () => (await import('./route-editor.tsx')).RouteEditor);

type Editing = Route | 'new' | undefined;

export function RoutesPage() {
  const t = useT();
  const may = useMay('bots', 'manage');
  const bots = useQuery(botsQuery);
  const routes = useQuery(routesQuery);
  const [edited, setEdited] = useState<Route>();
  // Stored in the URL, so that the command palette can open the dialog.
  const isAdding = useSearch({ from: '/frame/routes' }).add === true;
  const navigate = useNavigate();
  const editing: Editing = isAdding ? 'new' : edited;
  function setEditing(next: Editing): void {
    setEdited(next === 'new' ? undefined : next);
    if (isAdding !== (next === 'new')) {
      const search = next === 'new' ? { add: true } : {};
      void navigate({ to: '/routes', search, replace: true });
    }
  }
  const hasBots = (bots.data?.length ?? 0) > 0;
  return (
    <Page
      title={t.routes.title}
      lead={t.routes.lead}
      actions={
        may && hasBots ? (
          <Button leftSection={<Icon name="plus" />} onClick={() => setEditing('new')}>
            {t.routes.add}
          </Button>
        ) : null
      }
    >
      <Loaded query={bots} skeleton={<RowsSkeleton rows={3} height={90} />}>
        {(known) => (
          <Loaded query={routes} skeleton={<RowsSkeleton rows={3} height={90} />}>
            {(list) => <Content bots={known} routes={list} may={may} onEdit={setEditing} />}
          </Loaded>
        )}
      </Loaded>
      <RouteEditor
        bots={bots.data ?? []}
        route={editing === 'new' ? undefined : editing}
        opened={editing !== undefined && hasBots}
        onClose={() => setEditing(undefined)}
      />
    </Page>
  );
}

function Content(props: {
  bots: Bot[];
  routes: Route[];
  may: boolean;
  onEdit: (editing: Editing) => void;
}) {
  const t = useT();
  const isAdmin = useMay('service', 'admin');
  const mayAdd = useMayAddBots();
  const graph = useQuery(graphQuery).data;
  const hasDesks = Boolean(useQuery(desksQuery).data?.length);
  const { bots, routes } = props;
  const names = useRouteNames(bots, routes);
  if (bots.length === 0) {
    return (
      <Panel flush>
        <EmptyState
          icon="bot"
          title={t.routes.needBots}
          hint={mayAdd ? t.routes.needBotsHint : t.bots.notYours}
        >
          <LinkButton to="/bots">{t.nav.bots}</LinkButton>
        </EmptyState>
      </Panel>
    );
  }
  if (routes.length === 0) {
    return (
      <div className="stack">
        <Panel flush>
          <EmptyState icon="route" title={t.routes.empty} hint={t.routes.emptyHint}>
            {props.may ? <Button onClick={() => props.onEdit('new')}>{t.routes.add}</Button> : null}
          </EmptyState>
        </Panel>
        {hasDesks ? <Decisions names={names} /> : null}
        {isAdmin ? <LlmSettings canTry={false} /> : null}
      </div>
    );
  }
  const sources = [...new Set(routes.map((route) => route.source_bot_id))];
  return (
    <div className="stack">
      <Panel title={t.routes.graph} hint={t.routes.thickness}>
        <Problems problems={graph?.problems ?? []} names={names} />
        <div className={css.graphScroll}>
          <RouteGraph routes={routes} graph={graph} nameOf={names.bot} />
        </div>
      </Panel>
      <Simulator bots={bots} names={names} />
      {sources.map((botId) => (
        <RouteList
          key={botId}
          botId={botId}
          routes={routes.filter((route) => route.source_bot_id === botId)}
          names={names}
          may={props.may}
          onEdit={props.onEdit}
        />
      ))}
      <Decisions names={names} />
      {isAdmin ? <LlmSettings canTry /> : null}
    </div>
  );
}

/** Lists loops and routes that no message reaches. */
function Problems(props: { problems: Graph['problems']; names: RouteNames }) {
  const t = useT();
  if (props.problems.length === 0) return null;
  return (
    <ul className={decisionCss.problems} aria-label={t.routes.problems}>
      {props.problems.map((problem) => (
        <li key={`${problem.kind} ${problem.route_ids.join()}`}>
          <Icon name="warn" />
          <span>
            {problem.route_ids.map((id) => t.decisions.route(props.names.route(id))).join(', ')}:{' '}
            {props.names.say(problem.explanation, problem.explanation_detail)}
          </span>
        </li>
      ))}
    </ul>
  );
}
