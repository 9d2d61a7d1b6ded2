import { useMediaQuery } from '@mantine/hooks';
import type { Graph } from '../../api/routing.ts';
import type { Route } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { shortened } from '../../ui/text/shortened.ts';
import { type DrawnRoute, dropped, looksOf, thicknessOf, useDrawnRoutes } from './drawn-routes.ts';
import { RouteTree } from './route-tree.tsx';
import css from './routes.module.css';

const width = 860;
const nodeWidth = 190;
const nodeHeight = 40;
const gap = 22;
const top = 34;
const lane = 27;
const tooNarrow = '(max-width: 640px)';

interface DrawingProps {
  routes: DrawnRoute[];
  /** A description for screen readers. */
  label: string;
  nameOf: (botId: number) => string;
}

/** Draws routes between bots: as lines between two columns, or as a tree. */
export function RouteGraph(props: {
  routes: Route[];
  /** The number of forwarded messages, and problems. */
  graph: Graph | undefined;
  nameOf: (botId: number) => string;
}) {
  const t = useT();
  const isNarrow = useMediaQuery(tooNarrow, undefined, { getInitialValueInEffect: false });
  const drawing: DrawingProps = {
    routes: useDrawnRoutes(props.routes, props.graph),
    label: t.routes.graphLabel(props.routes.length),
    nameOf: props.nameOf,
  };
  return isNarrow ? <RouteTree {...drawing} /> : <Columns {...drawing} />;
}

/** Draws source bots on the left, target bots on the right; a bot may be on both sides. */
function Columns(props: DrawingProps) {
  const { nameOf, routes } = props;
  const t = useT();
  const left = columnOf(routes, ({ route }) => route.source_bot_id);
  const right = columnOf(routes, ({ targetId }) => targetId);
  const height = top + Math.max(left.height, right.height) + 4;
  const leftTop = top + Math.max(0, right.height - left.height) / 2;
  const rightTop = top + Math.max(0, left.height - right.height) / 2;
  const leftY = (id: number) => leftTop + (left.middles.get(id) ?? 0);
  const rightY = (id: number) => rightTop + (right.middles.get(id) ?? 0);
  return (
    <svg
      className={css.graph}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={props.label}
    >
      <text className={css.columnText} x={0} y={16}>
        {t.routes.receives}
      </text>
      <text className={css.columnText} x={width} y={16} textAnchor="end">
        {t.routes.passesOn}
      </text>
      {routes.map((drawn) => (
        <Edge
          key={drawn.route.id}
          drawn={drawn}
          from={leftY(drawn.route.source_bot_id)}
          to={rightY(drawn.targetId) + laneOf(drawn, routes)}
        />
      ))}
      {[...left.middles.keys()].map((id) => (
        <Node key={id} x={0} y={leftY(id)} name={nameOf(id)} />
      ))}
      {[...right.middles.keys()].map((id) => (
        <Node
          key={id}
          x={width - nodeWidth}
          y={rightY(id)}
          name={id === dropped ? t.routes.ends : nameOf(id)}
        />
      ))}
    </svg>
  );
}

function Node(props: { x: number; y: number; name: string }) {
  return (
    <g>
      <rect
        className={css.node}
        x={props.x + 0.5}
        y={props.y - nodeHeight / 2}
        width={nodeWidth - 1}
        height={nodeHeight}
        rx={11}
      />
      <text
        className={css.nodeText}
        x={props.x + nodeWidth / 2}
        y={props.y + 4.5}
        textAnchor="middle"
      >
        {shortened(props.name, 22)}
      </text>
    </g>
  );
}

function Edge(props: { drawn: DrawnRoute; from: number; to: number }) {
  const { drawn, from, to } = props;
  const startX = nodeWidth;
  const endX = width - nodeWidth;
  const bend = (startX + endX) / 2 - 60;
  const path = `M${startX} ${from} C${bend} ${from} ${bend} ${to} ${endX} ${to}`;
  const textWidth = drawn.label.length * 6.6 + 18;
  // The label is next to the target, where every route has its own lane.
  const labelX = endX - 16 - textWidth / 2;
  return (
    <g {...looksOf(drawn)}>
      <path className={css.edge} d={path} strokeWidth={thicknessOf(drawn)} />
      <circle className={css.edgeEnd} cx={endX - 4} cy={to} r={4} />
      <rect
        className={css.edgeBack}
        x={labelX - textWidth / 2}
        y={to - 11}
        width={textWidth}
        height={22}
        rx={11}
      />
      <text className={css.edgeText} x={labelX} y={to + 4} textAnchor="middle">
        {drawn.label}
      </text>
    </g>
  );
}

/** Returns the middle of each bot on one side; its height depends on the number of its routes. */
function columnOf(routes: DrawnRoute[], idOf: (drawn: DrawnRoute) => number) {
  const middles = new Map<number, number>();
  let y = 0;
  for (const id of new Set(routes.map(idOf))) {
    const lanes = routes.filter((drawn) => idOf(drawn) === id).length;
    const room = Math.max(nodeHeight, lanes * lane);
    middles.set(id, y + room / 2);
    y += room + gap;
  }
  return { middles, height: y - gap };
}

/** Returns how far from the middle of its target a route ends. */
function laneOf(drawn: DrawnRoute, routes: DrawnRoute[]): number {
  const same = routes.filter((one) => one.targetId === drawn.targetId);
  return (same.indexOf(drawn) - (same.length - 1) / 2) * lane;
}
