// Numbers as Prometheus reads them: its text format, version 0.0.4.
// https://prometheus.io/docs/instrumenting/exposition_formats/

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Behind the name of the family, such as `_sum`; empty where it is that name. */
  readonly suffix: "" | "_bucket" | "_sum" | "_count";
  readonly labels: Labels;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly samples: readonly Sample[];
}

/** One of which there is no number is left out. */
export function exposition(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const head = [`# HELP ${name} ${help.replaceAll("\\", "\\\\")}`, `# TYPE ${name} ${type}`];
      const lines = samples.map((one) => `${name}${one.suffix}${labelled(one.labels)} ${written(one.value)}`);
      return [...head, ...lines, ""].join("\n");
    })
    .join("");
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const MAX_LABEL = 200;

/** What is in a label comes from logs: of any length, and with whatever a terminal would act on. */
function escaped(value: string): string {
  return value
    .slice(0, MAX_LABEL)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\ufffd")
    .replace(/[\\"]/g, "\\$&");
}

function written(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}

export function single(name: string, type: "counter" | "gauge", help: string, value: number): MetricFamily {
  return { name, type, help, samples: [{ suffix: "", labels: {}, value }] };
}

/** What was observed under the same labels. */
export interface Observed {
  readonly labels: Labels;
  readonly sum: number;
  /** How many were at most the bound in the same place, and above the one before; the last one has no bound. */
  readonly counts: readonly number[];
}

/** @param bounds in the unit of the metric, smallest first */
export function histogram(
  { name, help }: Pick<MetricFamily, "name" | "help">,
  bounds: readonly number[],
  all: readonly Observed[],
): MetricFamily {
  const samples = all.flatMap(({ labels, sum, counts }): readonly Sample[] => {
    let count = 0;
    const buckets = [...bounds, Infinity].map((bound, at): Sample => {
      count += counts[at] ?? 0;
      return { suffix: "_bucket", labels: { ...labels, le: written(bound) }, value: count };
    });
    return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }];
  });
  return { name, help, type: "histogram", samples };
}
