/** A call that is asked about. */
export interface AskedAction {
  /** The action's own name. */
  readonly action: string;
  /** As the model wrote them. */
  readonly parameters: unknown;
}

/** The same for calls that ask for the same, however their parameters are written and in whatever order. */
export function keyOfCall({ action, parameters }: AskedAction): string {
  return JSON.stringify([action, plain(parameters)]);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return String(value).trim();
  return Object.entries(value)
    .filter(([name, inner]) => name !== "thoughts" && inner !== null && inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, inner]) => [name, plain(inner)]);
}
