// Bars over time, drawn on a canvas in the colours of the page. A canvas says nothing to those who do not see it: the words of its
// label, and a table where it is large, stand for it.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";

export interface Bars {
  readonly title: string;
  /** A custom property of the page's style, such as `--accent`. */
  readonly colour: string;
  /** One for each time. Of bars that are stacked the highest come first, as the others stand before them. */
  readonly values: readonly number[];
}

interface ChartProps {
  /** What it shows, and the most important of it. */
  readonly label: string;
  /** Seconds since 1970, rising. */
  readonly times: readonly number[];
  readonly bars: readonly Bars[];
  /** How far a bar reaches, in seconds. */
  readonly step: number;
  readonly height: number;
  /** Without axes where it is absent. */
  readonly write?: (value: number) => string;
  /** The bar that the pointer is at; `null`: at none. */
  onPoint?(index: number | null): void;
}

const DARK = "(prefers-color-scheme: dark)";

export function Chart(props: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(undefined);
  const newest = useRef(props);
  newest.current = props;
  const { times, bars, label } = props;
  useEffect(() => {
    const scheme = matchMedia(DARK);
    const element = box.current!;
    const draw = (): void => {
      drawn.current?.destroy();
      drawn.current = new UPlot(optionsOf(newest, element), rowsOf(newest.current), element);
    };
    const fit = new ResizeObserver(() => {
      const { clientWidth: width } = element;
      if (width !== drawn.current?.width) drawn.current?.setSize({ width, height: newest.current.height });
    });
    draw();
    fit.observe(element);
    scheme.addEventListener("change", draw);
    return () => {
      fit.disconnect();
      scheme.removeEventListener("change", draw);
      drawn.current?.destroy();
    };
  }, [bars.length]);
  useEffect(() => drawn.current?.setData(rowsOf(newest.current)), [times, bars]);
  return <div class="chart" role="img" aria-label={label} ref={box} />;
}

function rowsOf({ times, bars }: ChartProps): UPlot.AlignedData {
  return [[...times], ...bars.map(({ values }) => [...values])];
}

function optionsOf(newest: { readonly current: ChartProps }, box: HTMLElement): UPlot.Options {
  const { bars, height, write } = newest.current;
  const style = getComputedStyle(box);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  const axes: UPlot.Axis[] = [
    {
      ...axis,
      grid: { show: false },
      size: 24,
      gap: 2,
      values: (_, moments) => moments.map((at) => clockWords(at, moments)),
    },
    { ...axis, size: 56, values: (_, amounts) => amounts.map((amount) => write?.(amount) ?? "") },
  ];
  return {
    width: box.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: write !== undefined, y: false, points: { show: false }, drag: { x: false, y: false } },
    axes: write ? axes : axes.map(() => ({ show: false })),
    scales: {
      x: { time: true, range: (_, from, to) => widened(from, to, newest.current.step) },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    padding: write ? [8, 0, 0, 0] : [2, 0, 0, 0],
    series: [
      {},
      ...bars.map(({ title, colour: name }) => ({
        label: title,
        fill: colour(name),
        width: 0,
        points: { show: false },
        paths: UPlot.paths.bars!({ size: [0.8, 36], align: 0 }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => newest.current.onPoint?.(cursor.idx ?? null)] },
  };
}

/** Half a bar more on either side. */
function widened(from: number, to: number, step: number): [number, number] {
  return [from - step / 2, to + step / 2];
}

const DAY_SECONDS = 86_400;

/** The day where the moments lie days apart, or it is another one than that of the moment before. */
function clockWords(at: number, moments: readonly number[]): string {
  const date = new Date(at * 1_000);
  const apart = (moments[1] ?? at) - moments[0]!;
  const day = date.toLocaleDateString("sv-SE").slice(5);
  if (apart >= DAY_SECONDS) return day;
  const time = date.toLocaleTimeString("en-GB").slice(0, apart < 60 && apart > 0 ? 8 : 5);
  return date.getHours() === 0 && date.getMinutes() === 0 && at !== moments[0] ? day : time;
}
