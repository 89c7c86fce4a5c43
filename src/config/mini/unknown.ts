// What a configuration says that does nothing here, or in another place than it once did.

import { nearest } from "../../base/text/nearest.ts";
import { oneLine } from "../files/yaml.ts";
import { atPlace, type Configuration, type KeyPath } from "./sources.ts";
import { SECTIONS, type MiniSections, type SectionName } from "./sections.ts";

/** What of a configuration is not honoured, and what holds instead. */
export interface Unhonoured {
  readonly path: KeyPath;
  readonly instead: string;
}

const MAX_REMARK = 300;

/** One line for people, with the place. */
export function wordRemark({ path, instead }: Unhonoured, { placeOf }: Configuration): string {
  const words = `${path.map(String).join(".")}: ${instead}`;
  return oneLine(atPlace(placeOf(path), words)).slice(0, MAX_REMARK);
}

const NOTHING = "not known here, and without effect";
/** Of version 1, with what stands in their place. */
const MOVED = [
  ["action_observation_template", "observation_template"],
  ["format_error_template", "format_error_template"],
  ["action_regex", "action_regex"],
] as const;

export function remarksOnKeys(sections: MiniSections): readonly Unhonoured[] {
  const { agent, model } = sections;
  const strange = NAMES.flatMap((name) => strangeKeys([name], sections[name], keysOf(name)));
  const moved = MOVED.filter(([former, newer]) => agent[former] !== undefined && model[newer] !== undefined);
  const { agent_class: kind } = agent;
  return [
    ...strangeKeys([], sections, NAMES),
    ...strange,
    ...moved.map(([former, newer]) => ({ path: ["agent", former], instead: `model.${newer} holds` })),
    ...(kind === undefined || kind === "interactive"
      ? []
      : [
          {
            path: ["agent", "agent_class"],
            instead: "there is one way to act, and the mode of the run holds",
          },
        ]),
  ];
}

const NAMES = Object.keys(SECTIONS) as SectionName[];

function keysOf(name: SectionName): readonly string[] {
  return Object.keys(SECTIONS[name].shape);
}

function strangeKeys(path: readonly string[], said: object, known: readonly string[]): readonly Unhonoured[] {
  const keys = Object.entries(said).flatMap(([key, value]) =>
    known.includes(key) || value === undefined ? [] : [key],
  );
  return keys.map((key) => {
    const [meant] = nearest(key, known);
    const owner = NAMES.find((name) => keysOf(name).includes(key));
    const advice = owner ? `; it stands under ${owner}` : meant ? `; did you mean ${meant}?` : "";
    return { path: [...path, key], instead: `${NOTHING}${advice}` };
  });
}
